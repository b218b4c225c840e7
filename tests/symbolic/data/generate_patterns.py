#!/usr/bin/env python3
"""Writes patterns.tsv beside it by asking the reference: PYTHONPATH=<reference>:tests/reference DEV=NULL generate_patterns.py"""
import pathlib, patterns

SETS = {
  "tinygrad.uop.symbolic": ["div_and_mod_symbolic", "mop_cleanup", "pm_data_invalid", "pm_remove_invalid", "symbolic_simple", "commutative",
                            "symbolic", "pm_drop_and_clauses", "pm_move_where_on_load", "pm_simplify_valid", "pm_clean_up_group_sink", "sym"],
  "tinygrad.uop.weak": ["pm_cast_weak", "pm_commit_weak", "pm_lower_weak", "pm_lower_index_dtype"],
  "tinygrad.codegen.simplify": ["pm_flatten_range", "pm_simplify_ranges", "pm_split_ranges", "pm_reduce_unparented", "pm_reduce_collapse",
                                "pm_reduce_load_collapse", "pm_reduce_simplify", "pm_load_collapse"],
  "tinygrad.codegen.decomp.transcendental": ["transcendental"],
}

def matcher_of(module, name):
  known = patterns.attribute(module, "get_transcendental_patterns" if name == "transcendental" else name)
  return known((), True) if name == "transcendental" else known

if __name__ == "__main__": patterns.write(pathlib.Path(__file__).parent / "patterns.tsv", SETS, matcher_of)
