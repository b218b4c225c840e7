"""The numbers and names of the trace format: ops from 1 and dtypes from 0, in this order for ever."""

OPS = ("none SPECIAL BUFFER NOOP REWRITE_ERROR PARAM FUNCTION CALL PROGRAM LINEAR SOURCE BINARY SINK AFTER GROUP STACK TUPLE GETTUPLE "
       "GETADDR INDEX SHRINK LOAD STORE WMMA CAST BITCAST EXP2 LOG2 SIN SQRT RECIPROCAL NEG TRUNC ADD MUL SHL SHR CDIV MAX CMOD CMPLT "
       "CMPNE CMPEQ XOR OR AND THREEFRY SUB FDIV POW FLOORDIV FLOORMOD WHERE MULACC BARRIER RANGE IF END ENDIF WAIT CONST CUSTOM CUSTOMI "
       "INS CONTIGUOUS CONTIGUOUS_BACKWARD DETACH STAGE COPY MSELECT MSTACK CUSTOM_FUNCTION RESHAPE PERMUTE EXPAND PAD FLIP UNSHARD "
       "REDUCE ALLREDUCE PYLITERAL").split()
OP = {name: i for i, name in enumerate(OPS) if i}

DTYPES = ("void weakint bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 weakfloat fp8e4m3 fp8e5m2 fp8e4m3fnuz fp8e5m2fnuz "
          "float16 bfloat16 float32 float64").split()
DTYPE = {name: i for i, name in enumerate(DTYPES)}

# tinygrad writes a dtype by the name that C has for it.
_C_NAMES = ("void;weakint;bool;signed char;unsigned char;short;unsigned short;int;unsigned int;long;unsigned long;weakfloat;float8_e4m3;"
            "float8_e5m2;float8_e4m3fnuz;float8_e5m2fnuz;half;__bf16;float;double").split(";")
DTYPE_OF_C = {name: i for i, name in enumerate(_C_NAMES)}

# Where a pickle names a member of these by its value, as Python before 3.11 and from 3.12 on does. tinygrad counts the members of all
# its enumerations on, so that each op is its number here; the others follow behind it.
AXIS_TYPES = "DEVICE GLOBAL WARP LOCAL WEAK GROUP_REDUCE REDUCE UPCAST UNROLL THREAD PLACEHOLDER LOOP".split()
ADDR_SPACES = "GLOBAL LOCAL REG ALU".split()
