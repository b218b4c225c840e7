#pragma once

#include <string_view>

namespace rangescope::viewer {

// resources/animation.html, with places for the data (animation_page.cpp is made by CMake).
extern const std::string_view kAnimationPage;

}  // namespace rangescope::viewer
