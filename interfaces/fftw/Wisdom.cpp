#include "interfaces/fftw/Wisdom.h"

#include <atomic>
#include <cctype>
#include <cstdio>
#include <map>
#include <mutex>
#include <sstream>

using namespace idc::interfaces;

static constexpr char beginning[] = "idc-fftw3-wisdom-1";

static std::mutex mutex;
static std::map<std::string, std::string> known;
static std::atomic<double> limit{-1};

std::optional<std::string> idc::interfaces::wisdomOf(const std::string &problem) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = known.find(problem);
  return found == known.end() ? std::nullopt : std::optional<std::string>(found->second);
}

void idc::interfaces::learn(const std::string &problem, const std::string &plan) {
  std::lock_guard<std::mutex> lock(mutex);
  known[problem] = plan;
}

void idc::interfaces::forgetWisdom() {
  std::lock_guard<std::mutex> lock(mutex);
  known.clear();
}

std::string idc::interfaces::wisdomText() {
  std::lock_guard<std::mutex> lock(mutex);
  std::string text = std::string("(") + beginning + "\n";
  for (const auto &[problem, plan] : known)
    text += "  (" + problem + " " + plan + ")\n";
  return text + ")\n";
}

bool idc::interfaces::readWisdom(const std::function<int()> &next) {
  std::string text;
  int depth = 0;
  for (int c = next(); c != EOF; c = next()) {
    if (text.empty() && std::isspace(c))
      continue;
    if (text.empty() && c != '(')
      return false;
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    text += char(c == '(' || c == ')' ? ' ' : c);
    if (depth == 0)
      break;
  }
  std::istringstream words(text);
  std::string word, plan;
  if (depth != 0 || !(words >> word) || word != beginning)
    return false;
  std::map<std::string, std::string> read;
  while (words >> word) {
    if (!(words >> plan) || (plan != "throughput" && plan != "latency"))
      return false;
    read[word] = plan;
  }
  std::lock_guard<std::mutex> lock(mutex);
  read.merge(known);
  known.swap(read);
  return true;
}

void idc::interfaces::setTimeLimit(double seconds) { limit = seconds; }
double idc::interfaces::timeLimit() { return limit; }
