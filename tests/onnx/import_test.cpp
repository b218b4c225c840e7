#include <gtest/gtest.h>
TEST(Import, Placeholder) {}
