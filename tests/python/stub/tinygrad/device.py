class Device:
  _opened_devices = ()


class Compiled:
  profile_events = []


class Buffer:
  profile_events = []
