// links: headers. Prints each line of a file, or of a short text of its own, the first time that it comes; memory: two bytes a line.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include <membrane/filter/filters.hpp>

int main(int count, char** arguments) {
    std::ifstream file;
    std::istringstream text("GET /\nGET /about\nGET /\nPOST /login\nGET /about\nGET /\n");
    if (count > 1) file.open(arguments[1]);
    std::istream& lines = count > 1 ? static_cast<std::istream&>(file) : text;

    // Planned for a thousand lines at first; it grows, and keeps this rate up to ten million. A new line taken for a seen one is lost: one
    // in ten thousand at most.
    membrane::balanced_rank_filter seen(1000, 0.0001, membrane::grow_to(10'000'000));
    std::uint64_t kept = 0, dropped = 0;
    for (std::string line; std::getline(lines, line);) {
        if (seen.insert_if_absent(line)) {
            std::cout << line << '\n';
            ++kept;
        } else {
            ++dropped;
        }
    }
    std::cerr << kept << " lines kept, " << dropped << " repeated; the filter has " << seen.size_bytes()
              << " bytes\n";
    return count > 1 || (kept == 3 && dropped == 3) ? 0 : 1;
}
