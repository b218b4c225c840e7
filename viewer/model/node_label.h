#pragma once
// What stands in a node's box. Bounded: a label never costs more for a larger graph below.

#include "engine/ir/uop.h"
#include "viewer/canvas/op_style.h"
#include "viewer/layout/graph.h"

namespace rangescope::viewer {

// Title, lines, fill and badges; key is the node's id in its store.
SceneNode labelled(UOp u, Palette palette, bool inlineConstants);
// The same, kept with the store: from step to step nearly all nodes are those of the step before. Good until the next
// call.
const SceneNode& keptLabel(UOp u, Palette palette, bool inlineConstants);

// A constant, or a shape made of constants: drawn inside its user rather than as a node.
bool isInline(UOp u);

std::string shapeText(UOp u);   // "(64, 64)", empty where the node has none
std::string rangesText(UOp u);  // "r0 r1", empty where none is open
std::string argText(UOp u, size_t maxChars);

std::string shortened(std::string s, size_t most);  // with three dots, and no half character
const AxisType* axisOf(UOp range);                  // null: it does not say
std::string rangeName(UOp range);                   // "r3": the letter of its axis and its number

}  // namespace rangescope::viewer
