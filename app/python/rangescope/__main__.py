"""python3 -m rangescope record SCRIPT -o T.rscope [--repeats N] [--without RULE] [--flag NAME=VALUE] [ARGUMENT...]"""
import argparse
import sys

from .recording import record_script

parser = argparse.ArgumentParser(prog="python3 -m rangescope", description="Tensors whose compilation can be watched.")
commands = parser.add_subparsers(dest="command", required=True)
command = commands.add_parser("record", help="run a script and record every program that it computes")
command.add_argument("script")
command.add_argument("-o", "--output", required=True, help="the trace (.rscope)")
command.add_argument("--repeats", type=int, default=10, help="how often each kernel is run again to be timed")
command.add_argument("--without", action="append", default=[], metavar="RULE", help="switch this rule off")
command.add_argument("--flag", action="append", default=[], metavar="NAME=VALUE", help="a setting of the scheduler")
command.add_argument("arguments", nargs="*", help="of the script")
asked = parser.parse_args()
try:
  flags = {name: int(value) for name, _, value in (f.partition("=") for f in asked.flag)}
except ValueError as e:
  parser.error(f"--flag takes NAME=VALUE: {e}")
sys.exit(record_script(asked.script, asked.output, asked.arguments, asked.repeats, asked.without, flags))
