// Demangles Rust v0 names by the grammar of RFC 2603.
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "symbols/punycode.h"
#include "symbols/rust_demangle.h"
#include "symbols/rust_v0_scanner.h"

namespace prof::symbols {
namespace {

// rustc's own demangler stops at the same depth; back-references make names that grow
// exponentially.
constexpr int kMaxDepth = 300;
constexpr std::size_t kMaxOutputBytes = 1 << 20;

// By letter; empty where a letter stands for something else.
std::string_view BasicType(char tag) {
  constexpr std::array<std::string_view, 26> kTypes = {
      "i8",    "bool", "char", "f64", "str",  "f32",  "",    "u8", "isize",
      "usize", "",     "i32",  "u32", "i128", "u128", "_",   "",   "",
      "i16",   "u16",  "()",   "...", "",     "i64",  "u64", "!"};
  return tag >= 'a' && tag <= 'z' ? kTypes[static_cast<std::size_t>(tag - 'a')] : "";
}

// A recursive-descent parser that prints as it goes. After the first error in_.ok() stays false.
class V0Parser {
 public:
  explicit V0Parser(std::string_view text) : in_(text) {}

  std::optional<std::string> Run() {
    Path(true);
    if (!in_.ok()) return std::nullopt;
    if (!in_.at_end()) {  // the crate that instantiated a generic function: not shown
      quiet_ = true;
      Path(false);
    }
    if (!in_.ok() || !in_.at_end() || out_.empty()) return std::nullopt;
    return std::move(out_);
  }

 private:
  // Counts a level of recursion; false (and an error) when too deep.
  class Level {
   public:
    explicit Level(V0Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxDepth) parser_.in_.Fail();
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    V0Parser& parser_;
  };

  void Print(std::string_view text) {
    if (quiet_ || !in_.ok()) return;
    if (out_.size() + text.size() > kMaxOutputBytes)
      in_.Fail();
    else
      out_ += text;
  }

  // Parses again at an earlier place. What the reference points to may be of any kind.
  template <class Production>
  void BackReference(Production production) {
    const std::size_t here = in_.position() - 1;
    const std::uint64_t target = in_.Base62();
    if (!in_.ok() || target >= here) return in_.Fail();
    if (quiet_) return;
    const std::size_t resume = in_.position();
    in_.Seek(static_cast<std::size_t>(target));
    production();
    in_.Seek(resume);
  }

  // In values generic arguments are written "::<T>", in types "<T>".
  void Path(bool in_value) {
    const Level level(*this);
    const char tag = in_.Take();
    switch (tag) {
      case 'C':
        return Print(in_.Name().name);
      case 'N':
        return NestedPath(in_value);
      case 'M':
      case 'X': {
        SkipImplPath();
        return Qualified(tag == 'X');
      }
      case 'Y':
        return Qualified(true);
      case 'I':
        Path(in_value);
        Print(in_value ? "::<" : "<");
        Separated('E', [this] { GenericArgument(); });
        return Print(">");
      case 'B':
        return BackReference([this, in_value] { Path(in_value); });
      default:
        return in_.Fail();
    }
  }

  void NestedPath(bool in_value) {
    const char kind = in_.Take();
    Path(in_value);
    const RustIdentifier id = in_.Name();
    if (kind >= 'A' && kind <= 'Z') {
      Print("::{");
      if (kind == 'C')
        Print("closure");
      else if (kind == 'S')
        Print("shim");
      else
        Print(std::string(1, kind));
      if (!id.name.empty()) Print(":" + id.name);
      return Print("#" + std::to_string(id.disambiguator) + "}");
    }
    if (kind < 'a' || kind > 'z') return in_.Fail();
    if (!id.name.empty()) Print("::" + id.name);
  }

  void SkipImplPath() {
    const bool was_quiet = std::exchange(quiet_, true);
    in_.OptionalBase62('s');
    Path(false);
    quiet_ = was_quiet;
  }

  void Qualified(bool trait) {
    Print("<");
    Type();
    if (trait) {
      Print(" as ");
      Path(false);
    }
    Print(">");
  }

  template <class Production>
  std::size_t Separated(char end, Production production) {
    std::size_t count = 0;
    for (; in_.ok() && !in_.TakeIf(end); ++count) {
      if (count > 0) Print(", ");
      production();
    }
    return count;
  }

  void GenericArgument() {
    if (in_.TakeIf('L')) return Lifetime(in_.Base62());
    if (in_.TakeIf('K')) return Constant();
    Type();
  }

  // 0 is '_, others count binders from the inside.
  void Lifetime(std::uint64_t index) {
    if (index == 0) return Print("'_");
    if (index > bound_lifetimes_) return in_.Fail();
    const std::uint64_t number = bound_lifetimes_ - index;
    if (number < 26)
      Print(std::string{'\'', static_cast<char>('a' + number)});
    else
      Print("'_" + std::to_string(number));
  }

  // "for<'a, 'b> " around `production`, when there are bound lifetimes.
  template <class Production>
  void Binder(Production production) {
    const std::uint64_t count = in_.OptionalBase62('G');
    if (count > in_.size()) return in_.Fail();
    const std::uint64_t before = bound_lifetimes_;
    if (count > 0) {
      Print("for<");
      for (std::uint64_t i = 0; i < count; ++i) {
        if (i > 0) Print(", ");
        ++bound_lifetimes_;
        Lifetime(1);
      }
      Print("> ");
    }
    production();
    bound_lifetimes_ = before;
  }

  void Type() {
    const Level level(*this);
    const char tag = in_.Take();
    if (!in_.ok()) return;
    if (const std::string_view basic = BasicType(tag); !basic.empty()) return Print(basic);
    switch (tag) {
      case 'A':
      case 'S':
        Print("[");
        Type();
        if (tag == 'A') {
          Print("; ");
          Constant();
        }
        return Print("]");
      case 'T': {
        Print("(");
        const std::size_t count = Separated('E', [this] { Type(); });
        return Print(count == 1 ? ",)" : ")");
      }
      case 'R':
      case 'Q':
        Print("&");
        if (in_.TakeIf('L')) {
          const std::uint64_t lifetime = in_.Base62();
          if (lifetime != 0) {
            Lifetime(lifetime);
            Print(" ");
          }
        }
        Print(tag == 'Q' ? "mut " : "");
        return Type();
      case 'P':
      case 'O':
        Print(tag == 'P' ? "*const " : "*mut ");
        return Type();
      case 'F':
        return Binder([this] { FunctionType(); });
      case 'D':
        return DynType();
      case 'B':
        return BackReference([this] { Type(); });
      default:
        in_.Seek(in_.position() - 1);
        return Path(false);
    }
  }

  void FunctionType() {
    if (in_.TakeIf('U')) Print("unsafe ");
    if (in_.TakeIf('K')) {
      std::string abi = in_.TakeIf('C') ? "C" : in_.UndisambiguatedName();
      for (char& c : abi) c = c == '_' ? '-' : c;
      Print("extern \"" + abi + "\" ");
    }
    Print("fn(");
    Separated('E', [this] { Type(); });
    Print(")");
    if (in_.TakeIf('u')) return;  // the unit type
    Print(" -> ");
    Type();
  }

  void DynType() {
    Print("dyn ");
    Binder([this] {
      for (bool first = true; in_.ok() && !in_.TakeIf('E'); first = false) {
        if (!first) Print(" + ");
        DynTrait();
      }
    });
    if (!in_.TakeIf('L')) return in_.Fail();
    const std::uint64_t lifetime = in_.Base62();
    if (lifetime == 0) return;
    Print(" + ");
    Lifetime(lifetime);
  }

  // A trait path whose generic arguments stay open for the associated types: Iterator<Item = u8>.
  void DynTrait() {
    bool open = OpenPath();
    while (in_.TakeIf('p')) {
      Print(open ? ", " : "<");
      open = true;
      Print(in_.UndisambiguatedName() + " = ");
      Type();
    }
    if (open) Print(">");
  }
  bool OpenPath() {
    const Level level(*this);
    if (!in_.ok()) return false;
    if (in_.TakeIf('B')) {
      bool open = false;
      BackReference([this, &open] { open = OpenPath(); });
      return open;
    }
    if (in_.TakeIf('I')) {
      Path(false);
      Print("<");
      Separated('E', [this] { GenericArgument(); });
      return true;
    }
    Path(false);
    return false;
  }

  void Integer() {
    const std::string_view digits = in_.HexDigits();
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.empty()) return Print("0");
    if (error == std::errc()) return Print(std::to_string(value));
    Print("0x");  // 128 bits
    Print(digits);
  }

  void Constant() {
    const Level level(*this);
    const char tag = in_.Take();
    switch (tag) {
      case 'p':
        return Print("_");
      case 'B':
        return BackReference([this] { Constant(); });
      case 'b': {
        const std::string_view digits = in_.HexDigits();
        return Print(digits == "0" || digits.empty() ? "false" : "true");
      }
      case 'c':
        return Character();
      case 'e':
        Print("*");
        return StringLiteral();
      case 'R':
      case 'Q':
        if (tag == 'R' && in_.TakeIf('e')) return StringLiteral();
        Print(tag == 'R' ? "&" : "&mut ");
        return Constant();
      case 'A':
        Print("[");
        Separated('E', [this] { Constant(); });
        return Print("]");
      case 'T': {
        Print("(");
        const std::size_t count = Separated('E', [this] { Constant(); });
        return Print(count == 1 ? ",)" : ")");
      }
      case 'V':
        return Variant();
      default:
        break;
    }
    if (std::string_view("ailsxn").find(tag) != std::string_view::npos && tag != '\0') {
      if (in_.TakeIf('n')) Print("-");
      return Integer();
    }
    if (std::string_view("hjmtyo").find(tag) != std::string_view::npos && tag != '\0') {
      return Integer();
    }
    in_.Fail();
  }

  void Character() {
    const std::string_view digits = in_.HexDigits();
    std::uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (error != std::errc() || code > 0x10ffff) return in_.Fail();
    std::string text;
    AppendUtf8(code, text);
    Print("'" + text + "'");
  }

  // Two hex digits for each byte.
  void StringLiteral() {
    const std::string_view digits = in_.HexDigits();
    if (digits.size() % 2 != 0) return in_.Fail();
    std::string text = "\"";
    for (std::size_t i = 0; i < digits.size(); i += 2) {
      unsigned byte = 0;
      std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
      if (byte == '"' || byte == '\\') text += '\\';
      text += static_cast<char>(byte);
    }
    Print(text + "\"");
  }

  // Constants of a struct or enum type: unit, tuple or named fields.
  void Variant() {
    Path(true);
    switch (in_.Take()) {
      case 'U':
        return;
      case 'T':
        Print("(");
        Separated('E', [this] { Constant(); });
        return Print(")");
      case 'S':
        Print(" { ");
        Separated('E', [this] {
          Print(in_.Name().name + ": ");
          Constant();
        });
        return Print(" }");
      default:
        return in_.Fail();
    }
  }

  RustV0Scanner in_;
  std::string out_;
  bool quiet_ = false;
  int depth_ = 0;
  std::uint64_t bound_lifetimes_ = 0;
};

}  // namespace

std::optional<std::string> DemangleRustV0(std::string_view name) {
  if (!name.starts_with("_R")) return std::nullopt;
  name.remove_prefix(2);
  // A path begins with an upper-case letter; digits before it are the version of another encoding.
  if (name.empty() || name[0] < 'A' || name[0] > 'Z') return std::nullopt;
  return V0Parser(name).Run();
}

}  // namespace prof::symbols
