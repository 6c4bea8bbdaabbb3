// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/shares.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

namespace tapir::report {

namespace {

constexpr double kNormal = 1.959963984540054;  // 97.5 % of a normal distribution are below

// A sum of samples, and that of their squares.
struct Sums {
    int64_t value = 0;
    double squares = 0;
    size_t row = SIZE_MAX;  // that was added last: a row counts once

    void add(size_t number, int64_t more, double square) {
        if (row == number) return;
        row = number;
        value += more;
        squares += square;
    }
};

// The sums of one function, file, label or pattern.
struct Both {
    Sums self, total;
};

class Counting {
  public:
    Counting(const Profile &profile, const FrameTable &frames)
        : profile_(profile), frames_(frames), functions_(frames.size()), labels_(profile.labels.size()) {
        for (const std::string &pattern : profile.match) {
            const std::regex regex(pattern, std::regex::ECMAScript | std::regex::nosubs | std::regex::optimize);
            std::vector<bool> &fits = fits_.emplace_back();
            for (uint32_t i = 0; i < frames.size(); i++)
                fits.push_back(std::regex_search(frames[i].name, regex) || std::regex_search(frames[i].object, regex));
        }
        matches_.resize(fits_.size());
    }

    Shares shares() {
        for (size_t i = 0; i < profile_.rows.size(); i++)
            add(i, profile_.rows[i]);
        Shares out;
        out.widened = widened_;
        const double total = static_cast<double>(profile_.total);
        if (all_.squares > 0) out.effective = total * total / all_.squares;
        for (uint32_t i = 0; i < functions_.size(); i++)
            if (functions_[i].total.value) out.functions.push_back(made("", i, functions_[i]));
        for (const auto &[name, both] : objects_)
            out.objects.push_back(made(name, 0, both));
        for (size_t i = 1; i < labels_.size(); i++)
            if (labels_[i].total.value) out.labels.push_back(made(profile_.labels[i], 0, labels_[i]));
        for (size_t i = 0; i < matches_.size(); i++)
            out.matches.push_back(made(profile_.match[i], 0, matches_[i]));
        for (auto *list : {&out.functions, &out.objects, &out.labels})
            std::stable_sort(list->begin(), list->end(), [](const SelfAndTotal &a, const SelfAndTotal &b) {
                return a.total.value > b.total.value;
            });
        return out;
    }

  private:
    // The sum of the squares of a row's samples. Where only their sum is known, the most that it can be: one sample
    // has it all. That makes intervals wider, never narrower.
    double squares_of(const Row &row) {
        const auto value = static_cast<double>(row.value);
        const bool ones = static_cast<uint64_t>(row.value) == row.count;  // each of value 1
        if (profile_.counted || profile_.meta.unit.empty() || ones) return value;
        widened_ |= row.count > 1;
        return value * value;
    }

    void add(size_t number, const Row &row) {
        const double square = squares_of(row);
        const auto put = [&](Sums &sums) { sums.add(number, row.value, square); };
        put(all_);
        put(labels_[row.label].total);
        for (const uint32_t frame : row.frames) {
            put(functions_[frame].total);
            if (!frames_[frame].object.empty()) put(objects_[frames_[frame].object].total);
            for (size_t i = 0; i < fits_.size(); i++)
                if (fits_[i][frame]) put(matches_[i].total);
        }
        const uint32_t leaf = row.frames.back();
        put(functions_[leaf].self);
        if (!frames_[leaf].object.empty()) put(objects_[frames_[leaf].object].self);
        for (size_t i = 0; i < fits_.size(); i++)
            if (fits_[i][leaf]) put(matches_[i].self);
    }

    // By the variance of a ratio of sums, linearized: as many samples of equal value would have the same.
    Share share_of(const Sums &sums) const {
        const auto total = static_cast<double>(profile_.total);
        const double share = total > 0 ? static_cast<double>(sums.value) / total : 0;
        const double inside = (1 - share) * (1 - share) * sums.squares;
        const double variance = (inside + share * share * (all_.squares - sums.squares)) / (total * total);
        double samples = all_.squares > 0 ? total * total / all_.squares : 0;
        if (share > 0 && share < 1 && variance > 0) samples = share * (1 - share) / variance;
        Share out = interval_of(share, samples);
        out.value = sums.value;
        return out;
    }

    SelfAndTotal made(const std::string &name, uint32_t frame, const Both &both) const {
        return {name, frame, share_of(both.self), share_of(both.total)};
    }

    const Profile &profile_;
    const FrameTable &frames_;
    std::vector<std::vector<bool>> fits_;  // of each pattern: the frames
    std::vector<Both> functions_, labels_, matches_;
    std::map<std::string, Both> objects_;
    Sums all_;
    bool widened_ = false;
};

}  // namespace

Share interval_of(double share, double samples) {
    Share out;
    out.share = share;
    if (!(samples > 0)) return out;
    const double square = kNormal * kNormal, spread = share * (1 - share) / samples;
    const double middle = (share + square / (2 * samples)) / (1 + square / samples);
    const double half = kNormal / (1 + square / samples) * std::sqrt(spread + square / (4 * samples * samples));
    out.low = share > 0 ? std::max(middle - half, 0.0) : 0;
    out.high = share < 1 ? std::min(middle + half, 1.0) : 1;
    return out;
}

Shares shares_of(const Profile &profile, const FrameTable &frames) {
    return Counting(profile, frames).shares();
}

std::string pattern_problem(const std::string &pattern) {
    try {
        const std::regex good(pattern);
    } catch (const std::regex_error &error) {
        return error.what();
    }
    return "";
}

}  // namespace tapir::report
