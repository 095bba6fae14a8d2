// Demangling and folding of names.
#include "prof/symbols/demangle.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace prof::symbols {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(DemangleTest, CxxNamesKeepTheirSuffixes) {
  const Pairs names = {
      {"_Z1fi", "f(int)"},
      {"_Z1fi.cold", "f(int).cold"},
      {"_Z1fi.isra.0.cold", "f(int).isra.0.cold"},
      {"_Znwm@plt", "operator new(unsigned long)@plt"},
      {"_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo()"},
      {"_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()(int) const"},
  };
  for (const auto& [mangled, name] : names) EXPECT_EQ(Demangle(mangled), name);
}

TEST(DemangleTest, OtherNamesStay) {
  for (const std::string name : {"", "main", "_", "_Z", "_R", "_ZN", "_RNv", "memcpy@plt",
                                 "printf@@GLIBC_2.2.5", "foo.cold", "_Z1", "_RNvC", "_R9"}) {
    EXPECT_EQ(Demangle(name), name);
  }
}

TEST(DemangleTest, RustLegacy) {
  const Pairs names = {
      {"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"},
      {"_ZN4core3fmt5write17h0123456789abcdefE.llvm.123456", "core::fmt::write"},
      {"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
       "3bar17h930b740aa94f1d3aE",
       "<Test + 'static as foo::Bar<Test>>::bar"},
      {"_ZN28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "{{closure}}"},
      {"_ZN3foo17h0123456789abcdefE@plt", "foo@plt"},
      {"_ZN8$RF$testE", "$RF$test"},
  };
  for (const auto& [mangled, name] : names) EXPECT_EQ(Demangle(mangled), name);
}

TEST(DemangleTest, RustV0) {
  const Pairs names = {
      {"_RNvCs1234_7mycrate3foo", "mycrate::foo"},
      {"_RNvC6_123foo3bar", "123foo::bar"},
      {"_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
       "utf8_idents::საჭმელად_გემრიელი_სადილი"},
      {"_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure#0}::{closure#0}"},
      {"_RNCINkXs25_NgCsbmNqQUJIY6D_4core5sliceINyB9_4IterhENuNgNoBb_"
       "4iter8iterator8Iterator9rpositionNCNgNpB9_6memchr7memrchrs_0E0Bb_",
       "<core::slice::Iter<u8> as "
       "core::iter::iterator::Iterator>::rposition::<core::slice::memchr::memrchr::{closure#1}>::{"
       "closure#0}"},
      {"_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_"
       "ECs1iopQbuBiw2_3std",
       "alloc::alloc::box_free::<dyn alloc::boxed::FnBox<(), Output = ()>>"},
      {"_RNvMC0INtC8arrayvec8ArrayVechKj7b_E3new", "<arrayvec::ArrayVec<u8, 123>>::new"},
      {"_RMCs4fqI2P2rA04_13const_genericINtB0_8UnsignedKhb_E", "<const_generic::Unsigned<11>>"},
      {"_RMCs4fqI2P2rA04_13const_genericINtB0_6SignedKln98_E", "<const_generic::Signed<-152>>"},
      {"_RMCs4fqI2P2rA04_13const_genericINtB0_4BoolKb1_E", "<const_generic::Bool<true>>"},
      {"_RMCs4fqI2P2rA04_13const_genericINtB0_4CharKc2202_E", "<const_generic::Char<'∂'>>"},
      {"_RINvC3foo3barFG_RL0_hEuE", "foo::bar::<for<'a> fn(&'a u8)>"},
      {"_RINvC3foo3barFUKCPhOlEmE",
       "foo::bar::<unsafe extern \"C\" fn(*const u8, *mut i32) -> u32>"},
      {"_RINvC3foo3barAhj4_E", "foo::bar::<[u8; 4]>"},
      {"_RINvC3foo3barTEThETmQSeEE", "foo::bar::<(), (u8,), (u32, &mut [str])>"},
      {"_RNvC3foo3bar.llvm.9D1C9369", "foo::bar"},
      {"_RNvC3foo3bar.cold", "foo::bar.cold"},
  };
  for (const auto& [mangled, name] : names) EXPECT_EQ(Demangle(mangled), name);
}

TEST(DemangleTest, HostileNamesEndSoon) {
  EXPECT_EQ(Demangle("_RNvMC0" + std::string(5000, 'R') + "u3foo").substr(0, 2), "_R");
  EXPECT_EQ(Demangle("_RMC0TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTB6_B6_E").substr(0, 2), "_R");
  EXPECT_EQ(Demangle("_Z" + std::string(100000, 'P')).size(), 100002u);
}

TEST(DemangleTest, RandomChangesAreSurvived) {
  const std::string seeds[] = {
      "_RNCINkXs25_NgCsbmNqQUJIY6D_4core5sliceINyB9_4IterhENuNgNoBb_"
      "4iter8iterator8Iterator9rpositionE0Bb_",
      "_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
      "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
      "3bar17h930b740aa94f1d3aE",
      "_ZZ4mainENKUliE_clEi.cold"};
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string name = seeds[random() % std::size(seeds)];
    for (int i = 0; i < 3; ++i)
      name[2 + random() % (name.size() - 2)] = static_cast<char>(33 + random() % 94);
    FoldName(Demangle(name));
    FoldName(name);
  }
}

TEST(FoldNameTest, TakesArgumentsAndReturnTypesAway) {
  const Pairs names = {
      {"std::vector<int>::push_back(int const&)", "std::vector<...>::push_back"},
      {"std::vector<int, std::allocator<int> >::begin() const", "std::vector<...>::begin"},
      {"void ns::run<int, 3>(int)", "ns::run<...>"},
      {"std::enable_if<(sizeof(int)) > (2), int>::type ns::pick<int>(int)", "ns::pick<...>"},
      {"f(int).cold", "f.cold"},
      {"f(std::function<void (int)>)::{lambda(int)#1}::operator()(int) const",
       "f::{lambda(int)#1}::operator()"},
      {"(anonymous namespace)::foo(char const*)", "(anonymous namespace)::foo"},
      {"a::(anonymous namespace)::B<int>::c() &&", "a::(anonymous namespace)::B<...>::c"},
      {"std::ostream& operator<< <char>(std::ostream&, char)", "operator<< <...>"},
      {"bool operator< <int>(A<int> const&, A<int> const&)", "operator< <...>"},
      {"bool operator<(A const&, A const&)", "operator<"},
      {"A::operator()(int)", "A::operator()"},
      {"A::operator->() const", "A::operator->"},
      {"A::operator=(A&&)", "A::operator="},
      {"A::operator std::basic_string<char>() const", "A::operator std::basic_string<...>"},
      {"operator new(unsigned long)@plt", "operator new@plt"},
      {"operator delete[](void*)", "operator delete[]"},
      {"non-virtual thunk to A::f(int)", "non-virtual thunk to A::f"},
      {"void (*signal(int, void (*)(int)))(int)", "signal"},
      {"<alloc::vec::Vec<u8> as core::clone::Clone>::clone",
       "<alloc::vec::Vec<...> as core::clone::Clone>::clone"},
      {"core::ptr::drop_in_place::<alloc::string::String>", "core::ptr::drop_in_place::<...>"},
      {"foo::bar::{closure#0}", "foo::bar::{closure#0}"},
      {"operator_table(int)", "operator_table"},
  };
  for (const auto& [name, folded] : names) EXPECT_EQ(FoldName(name), folded) << name;
}

TEST(StripSignatureTest, KeepsTemplateArgumentsOnly) {
  const Pairs names = {
      {"std::vector<int>::push_back(int const&)", "std::vector<int>::push_back"},
      {"void std::sort<int*>(int*, int*)", "std::sort<int*>"},
      {"f(int).cold", "f.cold"},
      {"std::ostream& operator<< <char>(std::ostream&, char)", "operator<< <char>"},
      {"std::_Function_handler<void (int), main::{lambda(int)#1}>::_M_invoke(int&&)",
       "std::_Function_handler<void (int), main::{lambda(int)#1}>::_M_invoke"},
      {"(anonymous namespace)::foo(char const*)", "(anonymous namespace)::foo"},
      {"<alloc::vec::Vec<u8> as core::clone::Clone>::clone",
       "<alloc::vec::Vec<u8> as core::clone::Clone>::clone"},
      {"main", "main"},
  };
  for (const auto& [name, stripped] : names) EXPECT_EQ(StripSignature(name), stripped) << name;
}

TEST(FoldNameTest, LeavesPlainAndUnbalancedNames) {
  for (const std::string name : {"", "main", "do_syscall_64", "a(b", "a<b",
                                 "LazyCompile:~f /x.js:1", "py::fib:/app/x y.py"}) {
    EXPECT_EQ(FoldName(name), name);
  }
}

}  // namespace
}  // namespace prof::symbols
