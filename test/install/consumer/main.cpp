#include <membrane/version.hpp>

int main() { return membrane::version_string[0] == '\0' ? 1 : 0; }
