// Demangles Rust v0 names by the grammar of RFC 2603.
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "symbols/punycode.h"
#include "symbols/rust_demangle.h"

namespace prof::symbols {
namespace {

// rustc's own demangler stops at the same depth; back-references make names that grow exponentially.
constexpr int kMaxDepth = 300;
constexpr std::size_t kMaxOutputBytes = 1 << 20;

std::string_view BasicType(char tag) {
  switch (tag) {
    case 'a': return "i8";
    case 'b': return "bool";
    case 'c': return "char";
    case 'd': return "f64";
    case 'e': return "str";
    case 'f': return "f32";
    case 'h': return "u8";
    case 'i': return "isize";
    case 'j': return "usize";
    case 'l': return "i32";
    case 'm': return "u32";
    case 'n': return "i128";
    case 'o': return "u128";
    case 'p': return "_";
    case 's': return "i16";
    case 't': return "u16";
    case 'u': return "()";
    case 'v': return "...";
    case 'x': return "i64";
    case 'y': return "u64";
    case 'z': return "!";
    default: return {};
  }
}

// A recursive-descent parser that prints as it goes. After the first error ok_ stays false.
class V0Parser {
 public:
  explicit V0Parser(std::string_view text) : text_(text) {}

  std::optional<std::string> Run() {
    Path(true);
    if (!ok_) return std::nullopt;
    if (at_ < text_.size()) {  // the crate that instantiated a generic function: not shown
      quiet_ = true;
      Path(false);
    }
    if (!ok_ || at_ != text_.size() || out_.empty()) return std::nullopt;
    return std::move(out_);
  }

 private:
  struct Identifier {
    std::uint64_t disambiguator = 0;
    std::string name;
  };
  // Counts a level of recursion; false (and an error) when too deep.
  class Level {
   public:
    explicit Level(V0Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxDepth) parser_.ok_ = false;
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    V0Parser& parser_;
  };

  void Fail() { ok_ = false; }
  char Peek() const { return ok_ && at_ < text_.size() ? text_[at_] : '\0'; }
  char Take() {
    const char c = Peek();
    if (c == '\0') Fail();
    else ++at_;
    return c;
  }
  bool TakeIf(char c) {
    if (Peek() != c || c == '\0') return false;
    ++at_;
    return true;
  }
  void Print(std::string_view text) {
    if (quiet_ || !ok_) return;
    if (out_.size() + text.size() > kMaxOutputBytes) Fail();
    else out_ += text;
  }

  // "_" is 0, "0_" is 1, ...
  std::uint64_t Base62() {
    if (TakeIf('_')) return 0;
    std::uint64_t value = 0;
    for (;;) {
      const char c = Take();
      if (!ok_) return 0;
      if (c == '_') return value + 1;
      std::uint64_t digit = 0;
      if (c >= '0' && c <= '9') digit = static_cast<std::uint64_t>(c - '0');
      else if (c >= 'a' && c <= 'z') digit = static_cast<std::uint64_t>(c - 'a') + 10;
      else if (c >= 'A' && c <= 'Z') digit = static_cast<std::uint64_t>(c - 'A') + 36;
      else Fail();
      if (value > (UINT64_MAX - digit - 1) / 62) Fail();
      value = value * 62 + digit;
    }
  }
  std::uint64_t OptionalBase62(char tag) { return TakeIf(tag) ? Base62() + 1 : 0; }

  // No leading zeros: "00" is two empty names.
  std::size_t Decimal() {
    if (TakeIf('0')) return 0;
    std::size_t size = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), size);
    if (!ok_ || error != std::errc()) return Fail(), 0;
    at_ += static_cast<std::size_t>(end - begin);
    return size;
  }

  std::string UndisambiguatedName() {
    const bool punycode = TakeIf('u');
    const std::size_t size = Decimal();
    TakeIf('_');
    if (!ok_ || size > text_.size() - at_) return Fail(), std::string();
    const std::string_view bytes = text_.substr(at_, size);
    at_ += size;
    if (!punycode) return std::string(bytes);
    auto decoded = DecodePunycode(bytes);
    if (!decoded) Fail();
    return decoded.value_or("");
  }
  Identifier Name() {
    const std::uint64_t disambiguator = OptionalBase62('s');
    return {disambiguator, UndisambiguatedName()};
  }

  // Parses again at an earlier place. What the reference points to may be of any kind.
  template <class Production>
  void BackReference(Production production) {
    const std::size_t here = at_ - 1;
    const std::uint64_t target = Base62();
    if (!ok_ || target >= here) return Fail();
    if (quiet_) return;
    const std::size_t resume = std::exchange(at_, static_cast<std::size_t>(target));
    production();
    at_ = resume;
  }

  // In values generic arguments are written "::<T>", in types "<T>".
  void Path(bool in_value) {
    const Level level(*this);
    switch (Take()) {
      case 'C':
        return Print(Name().name);
      case 'N':
        return NestedPath(in_value);
      case 'M':
      case 'X': {
        const bool trait = text_[at_ - 1] == 'X';
        SkipImplPath();
        return Qualified(trait);
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
        return Fail();
    }
  }

  void NestedPath(bool in_value) {
    const char kind = Take();
    Path(in_value);
    const Identifier id = Name();
    if (kind >= 'A' && kind <= 'Z') {
      Print("::{");
      if (kind == 'C') Print("closure");
      else if (kind == 'S') Print("shim");
      else Print(std::string(1, kind));
      if (!id.name.empty()) Print(":" + id.name);
      return Print("#" + std::to_string(id.disambiguator) + "}");
    }
    if (kind < 'a' || kind > 'z') return Fail();
    if (!id.name.empty()) Print("::" + id.name);
  }

  void SkipImplPath() {
    const bool was_quiet = std::exchange(quiet_, true);
    OptionalBase62('s');
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
    for (; ok_ && !TakeIf(end); ++count) {
      if (count > 0) Print(", ");
      production();
    }
    return count;
  }

  void GenericArgument() {
    if (TakeIf('L')) return Lifetime(Base62());
    if (TakeIf('K')) return Constant();
    Type();
  }

  // 0 is '_, others count binders from the inside.
  void Lifetime(std::uint64_t index) {
    if (index == 0) return Print("'_");
    if (index > bound_lifetimes_) return Fail();
    const std::uint64_t number = bound_lifetimes_ - index;
    if (number < 26) Print(std::string{'\'', static_cast<char>('a' + number)});
    else Print("'_" + std::to_string(number));
  }

  // "for<'a, 'b> " around `production`, when there are bound lifetimes.
  template <class Production>
  void Binder(Production production) {
    const std::uint64_t count = OptionalBase62('G');
    if (count > text_.size()) return Fail();
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
    const char tag = Take();
    if (!ok_) return;
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
        if (TakeIf('L')) {
          const std::uint64_t lifetime = Base62();
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
        --at_;
        return Path(false);
    }
  }

  void FunctionType() {
    if (TakeIf('U')) Print("unsafe ");
    if (TakeIf('K')) {
      std::string abi = TakeIf('C') ? "C" : UndisambiguatedName();
      for (char& c : abi) c = c == '_' ? '-' : c;
      Print("extern \"" + abi + "\" ");
    }
    Print("fn(");
    Separated('E', [this] { Type(); });
    Print(")");
    if (TakeIf('u')) return;  // the unit type
    Print(" -> ");
    Type();
  }

  void DynType() {
    Print("dyn ");
    Binder([this] {
      for (bool first = true; ok_ && !TakeIf('E'); first = false) {
        if (!first) Print(" + ");
        DynTrait();
      }
    });
    if (!TakeIf('L')) return Fail();
    const std::uint64_t lifetime = Base62();
    if (lifetime == 0) return;
    Print(" + ");
    Lifetime(lifetime);
  }

  // A trait path whose generic arguments stay open for the associated types: Iterator<Item = u8>.
  void DynTrait() {
    bool open = OpenPath();
    while (TakeIf('p')) {
      Print(open ? ", " : "<");
      open = true;
      Print(UndisambiguatedName() + " = ");
      Type();
    }
    if (open) Print(">");
  }
  bool OpenPath() {
    const Level level(*this);
    if (!ok_) return false;
    if (TakeIf('B')) {
      bool open = false;
      BackReference([this, &open] { open = OpenPath(); });
      return open;
    }
    if (TakeIf('I')) {
      Path(false);
      Print("<");
      Separated('E', [this] { GenericArgument(); });
      return true;
    }
    Path(false);
    return false;
  }

  // Hex digits up to '_'.
  std::string_view HexDigits() {
    const std::size_t begin = at_;
    while (ok_) {
      const char c = Take();
      if (c == '_') return text_.substr(begin, at_ - 1 - begin);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) Fail();
    }
    return {};
  }

  void Integer() {
    const std::string_view digits = HexDigits();
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
    const char tag = Take();
    switch (tag) {
      case 'p':
        return Print("_");
      case 'B':
        return BackReference([this] { Constant(); });
      case 'b': {
        const std::string_view digits = HexDigits();
        return Print(digits == "0" || digits.empty() ? "false" : "true");
      }
      case 'c':
        return Character();
      case 'e':
        Print("*");
        return StringLiteral();
      case 'R':
      case 'Q':
        if (tag == 'R' && TakeIf('e')) return StringLiteral();
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
      if (TakeIf('n')) Print("-");
      return Integer();
    }
    if (std::string_view("hjmtyo").find(tag) != std::string_view::npos && tag != '\0') {
      return Integer();
    }
    Fail();
  }

  void Character() {
    const std::string_view digits = HexDigits();
    std::uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (error != std::errc() || code > 0x10ffff) return Fail();
    std::string text;
    AppendUtf8(code, text);
    Print("'" + text + "'");
  }

  // Two hex digits for each byte.
  void StringLiteral() {
    const std::string_view digits = HexDigits();
    if (digits.size() % 2 != 0) return Fail();
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
    switch (Take()) {
      case 'U':
        return;
      case 'T':
        Print("(");
        Separated('E', [this] { Constant(); });
        return Print(")");
      case 'S':
        Print(" { ");
        Separated('E', [this] {
          Print(Name().name + ": ");
          Constant();
        });
        return Print(" }");
      default:
        return Fail();
    }
  }

  std::string_view text_;  // behind "_R": back-references count from here
  std::size_t at_ = 0;
  std::string out_;
  bool ok_ = true;
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
