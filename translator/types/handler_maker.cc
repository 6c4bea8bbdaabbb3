// SPDX-License-Identifier: GPL-2.0-or-later
#include "types/handler_maker.h"

#include "types/global_printer.h"

namespace tapir::types {

namespace {

constexpr const char kRefresh[] = "__refresh_ms";
constexpr uint64_t kWishMs = 10;
constexpr uint64_t kMillisecond = 1'000'000;
constexpr int64_t kUsualMs = 1000, kLeastMs = 10, kMostMs = 3'600'000;

std::unique_ptr<resolve::Handler> make_handler(const ast::Variable &global, probes::Attach attach) {
    auto handler = std::make_unique<resolve::Handler>();
    handler->body = std::make_unique<ast::Block>(global.at);
    handler->synthetic = true;
    handler->user_point = attach.point;
    handler->derivation = {attach.point};
    handler->attaches.push_back(std::move(attach));
    return handler;
}

std::unique_ptr<resolve::Handler> end_handler(const ast::Variable &global) {
    probes::Attach attach;
    attach.kind = probes::Kind::Begin;
    attach.arg = probes::SessionPhase{.phase = probes::Phase::End};
    attach.point = "end";
    return make_handler(global, std::move(attach));
}

void print_metric(resolve::Handler &handler, ast::Variable &global, const ast::Metric &metric,
                  const ast::HistShape &shape) {
    GlobalPrinter printer(global);
    handler.locals = printer.make_locals();
    std::vector<ast::StmtPtr> &body = handler.body->body;
    body.push_back(printer.metric_head(metric, shape));
    body.push_back(printer.metric(metric, shape));
    body.push_back(printer.metric_end());
}

}  // namespace

void HandlerMaker::at_end(ast::Variable &global) {
    GlobalPrinter printer(global);
    auto handler = end_handler(global);
    handler->locals = printer.make_locals();
    handler->body->body.push_back(printer.body());
    add(std::move(handler), global);
}

void HandlerMaker::at_intervals(ast::Variable &global, int most) {
    probes::Attach attach;
    attach.kind = probes::Kind::Timer;
    attach.arg = probes::Interval{.period = static_cast<uint64_t>(kUsualMs) * kMillisecond, .may_be_late = true};
    attach.point = std::string("timer.ms(") + kRefresh + ")";
    attach.from_globals.push_back({kRefresh, "period", kMillisecond, 0, kLeastMs, kMostMs});
    GlobalPrinter printer(global);
    auto handler = make_handler(global, std::move(attach));
    handler->locals = printer.make_locals();
    handler->body->body.push_back(printer.head());
    handler->body->body.push_back(printer.body(most));
    add(std::move(handler), global);
}

// A timer that is armed while the loader asks for it, and so costs nothing otherwise. Its last statement ends that.
std::unique_ptr<resolve::Handler> HandlerMaker::at_wish(ast::Variable &global, const std::string &name) {
    ast::Variable &wish = add_number(global.at, name, 0);
    wish.is_written = true;
    wish.live = ast::LiveRange{.least = 0, .most = 1, .choices = {}};
    probes::Attach attach;
    attach.kind = probes::Kind::Timer;
    attach.arg = probes::Interval{.period = kWishMs * kMillisecond, .may_be_late = true};
    attach.point = "timer.ms(" + std::to_string(kWishMs) + ")";
    const GlobalPrinter of_wish(wish);
    auto handler = make_handler(global, std::move(attach));
    handler->condition = of_wish.reference();
    handler->body->body.push_back(of_wish.set(std::make_unique<ast::Number>(global.at, 0)));
    return handler;
}

void HandlerMaker::resets_at_wish(ast::Variable &global, const std::string &wish) {
    auto handler = at_wish(global, wish + global.name);
    std::vector<ast::StmtPtr> &body = handler->body->body;
    body.insert(body.begin(), GlobalPrinter(global).reset());
    add(std::move(handler), global);
}

void HandlerMaker::as_metric(ast::Variable &global, const ast::Metric &metric, const ast::HistShape &shape,
                             const std::string &wish) {
    auto asked = at_wish(global, wish + global.name);
    ast::StmtPtr last = std::move(asked->body->body.back());
    asked->body->body.clear();
    print_metric(*asked, global, metric, shape);
    asked->body->body.push_back(std::move(last));
    add(std::move(asked), global);
    auto at_end = end_handler(global);
    print_metric(*at_end, global, metric, shape);
    add(std::move(at_end), global);
}

void HandlerMaker::add_interval(const SourceRef &at) {
    add_number(at, kRefresh, kUsualMs);
}

void HandlerMaker::finish() {
    if (!file_->probes.empty()) program_.files.push_back(std::move(file_));
}

ast::Variable &HandlerMaker::add_number(const SourceRef &at, std::string name, int64_t first) {
    auto number = std::make_unique<ast::Variable>();
    number->name = number->unique_name = std::move(name);
    number->at = number->type_from = at;
    number->scope = ast::Variable::Scope::Global;
    number->type = ast::Type::Long;
    number->arity = 0;
    number->is_read = true;
    number->init = std::make_unique<ast::Number>(at, first);
    program_.globals.push_back(number.get());
    file_->globals.push_back(std::move(number));
    return *program_.globals.back();
}

void HandlerMaker::add(std::unique_ptr<resolve::Handler> handler, ast::Variable &global) {
    auto probe = std::make_unique<ast::Probe>();
    probe->at = global.at;
    probe->file = file_.get();
    handler->origin = probe.get();
    file_->probes.push_back(std::move(probe));
    global.is_read = true;
    program_.handlers.push_back(std::move(handler));
}

}  // namespace tapir::types
