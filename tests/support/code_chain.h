// Compares what Symbolizer::ReadCode says of an address with what Resolve says.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "prof/model/address.h"
#include "prof/model/code.h"
#include "prof/model/record.h"
#include "prof/symbols/symbolizer.h"

namespace prof::test {

// All addresses of code of a 64-bit ELF file.
std::vector<model::FileAddr> CodeAddresses(const std::string& file);

// The functions that these addresses are in, as the recorder asks for them.
std::vector<symbols::FunctionRange> FunctionsOf(const model::ModuleSymbols& symbols);

// "name file:line" of each frame, the innermost first, made of the lines and inlined ranges of the
// function that `address` is in.
std::string ChainAt(const model::FunctionCode& function, model::FileAddr address);
std::string ChainOf(const model::AddressSymbols& symbols);

// Fails the test unless ReadCode() agrees with `symbols` at every address inside a function, and
// its ranges are as the model wants them. The number of addresses compared.
std::size_t ExpectSameChains(const model::ModuleSymbols& symbols, const model::ModuleCode& code);

}  // namespace prof::test
