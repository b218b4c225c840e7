#include <graphviz/gvc.h>
#include <graphviz/types.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "viewer/layout/layered.h"

// Graphviz chooses ranks, order and places of a small first picture. It is not thread-safe and cannot be interrupted,
// so all of it runs on one thread of its own, and who waits longer than the budget goes on without it.
namespace rangescope::viewer::layered {

namespace {

struct DotNode {
  double width, height;
  uint32_t ports;
};
struct DotEdge {
  uint32_t from, to, port;
  bool ghost;
};
struct DotJob {
  std::vector<DotNode> nodes;
  std::vector<DotEdge> edges;  // by edge of the graph; from == to: left out
  double nodeGap = 0, rankGap = 0;

  std::mutex mutex;
  std::condition_variable_any ready;
  bool done = false;
  std::optional<DotPlaces> result;
};

char* text(const char* s) {
  return const_cast<char*>(s);
}

// Where the curve of an edge passes the height `y`.
std::optional<double> passes(const splines* spline, double y) {
  if (!spline) return std::nullopt;
  for (size_t b = 0; b < static_cast<size_t>(spline->size); b++) {
    const bezier& curve = spline->list[b];
    for (size_t i = 0; i + 3 < static_cast<size_t>(curve.size); i += 3) {
      const pointf* p = curve.list + i;
      pointf last = p[0];
      for (int k = 1; k <= 8; k++) {
        const double t = k / 8.0, s = 1 - t;
        const pointf at{s * s * s * p[0].x + 3 * s * s * t * p[1].x + 3 * s * t * t * p[2].x + t * t * t * p[3].x,
                        s * s * s * p[0].y + 3 * s * s * t * p[1].y + 3 * s * t * t * p[2].y + t * t * t * p[3].y};
        if ((last.y >= y && at.y <= y) || (last.y <= y && at.y >= y)) {
          const double part = at.y == last.y ? 0 : (y - last.y) / (at.y - last.y);
          return last.x + part * (at.x - last.x);
        }
        last = at;
      }
    }
  }
  return std::nullopt;
}

std::optional<DotPlaces> runDot(const DotJob& job) {
  static GVC_t* const context = [] {
    agseterr(AGMAX);
    return gvContext();
  }();
  Agraph_t* g = agopen(text("g"), Agdirected, nullptr);
  const auto number = [](double inches) { return std::to_string(inches); };
  agattr(g, AGRAPH, text("nodesep"), text(number(job.nodeGap / 72).c_str()));
  agattr(g, AGRAPH, text("ranksep"), text(number(job.rankGap / 72).c_str()));
  agattr(g, AGRAPH, text("nslimit"), text("1"));
  agattr(g, AGRAPH, text("nslimit1"), text("1"));
  agattr(g, AGNODE, text("shape"), text("box"));
  agattr(g, AGNODE, text("fixedsize"), text("true"));
  Agsym_t* label = agattr(g, AGNODE, text("label"), text(""));
  Agsym_t* shape = agattr(g, AGNODE, text("shape"), text("box"));
  Agsym_t* width = agattr(g, AGNODE, text("width"), text("1"));
  Agsym_t* height = agattr(g, AGNODE, text("height"), text("1"));
  Agsym_t* headport = agattr(g, AGEDGE, text("headport"), text(""));
  agattr(g, AGEDGE, text("arrowhead"), text("none"));

  std::vector<Agnode_t*> nodes(job.nodes.size());
  for (size_t v = 0; v < nodes.size(); v++) {
    nodes[v] = agnode(g, text(std::to_string(v).c_str()), 1);
    agxset(nodes[v], width, text(number(job.nodes[v].width / 72).c_str()));
    agxset(nodes[v], height, text(number(job.nodes[v].height / 72).c_str()));
    if (job.nodes[v].ports < 2 || job.nodes[v].ports > 16) continue;
    std::string fields;
    for (uint32_t p = 0; p < job.nodes[v].ports; p++) fields += (p ? "|<p" : "<p") + std::to_string(p) + ">";
    agxset(nodes[v], shape, text("record"));
    agxset(nodes[v], label, text(fields.c_str()));
  }
  std::vector<Agedge_t*> edges(job.edges.size(), nullptr);
  for (size_t e = 0; e < edges.size(); e++) {
    const DotEdge& edge = job.edges[e];
    if (edge.from == edge.to) continue;
    edges[e] = agedge(g, nodes[edge.from], nodes[edge.to], text(std::to_string(e).c_str()), 1);
    const uint32_t ports = job.nodes[edge.to].ports;
    if (ports >= 2 && ports <= 16) agxset(edges[e], headport, text(("p" + std::to_string(edge.port) + ":n").c_str()));
  }

  std::optional<DotPlaces> out;
  if (gvLayout(context, g, "dot") == 0) {
    out.emplace();
    int32_t rows = 0;
    for (Agnode_t* n : nodes) {
      out->ranks.push_back(ND_rank(n));
      out->x.push_back(ND_coord(n).x);
      rows = std::max(rows, ND_rank(n) + 1);
    }
    std::vector<std::optional<double>> rowY(rows);
    for (Agnode_t* n : nodes)
      if (ND_rank(n) >= 0) rowY[ND_rank(n)] = ND_coord(n).y;
    out->edges.resize(edges.size());
    for (size_t e = 0; e < edges.size(); e++) {
      if (!edges[e]) continue;
      const int32_t from = ND_rank(nodes[job.edges[e].from]), to = ND_rank(nodes[job.edges[e].to]);
      for (int32_t r = from + 1; r < to; r++)
        if (rowY[r])
          if (const auto x = passes(ED_spl(edges[e]), *rowY[r])) out->edges[e].push_back({r, *x});
    }
    // Every edge must go down by a rank; dot keeps that except for edges between clusters, which we have none of.
    for (size_t e = 0; e < edges.size() && out; e++)
      if (edges[e] && out->ranks[job.edges[e].from] >= out->ranks[job.edges[e].to]) out.reset();
    gvFreeLayout(context, g);
  }
  agclose(g);
  return out;
}

class DotThread {
 public:
  // Whether the job was taken: not while an earlier one that nobody waits for any more still runs.
  bool start(std::shared_ptr<DotJob> job, std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    if (!idle_.wait_until(lock, deadline, [&] { return !job_; })) return false;
    if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
    job_ = std::move(job);
    wake_.notify_one();
    return true;
  }
  static DotThread& instance() {
    static DotThread thread;
    return thread;
  }

 private:
  void serve(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (wake_.wait(lock, stop, [&] { return job_ != nullptr; })) {
      lock.unlock();
      std::optional<DotPlaces> result = runDot(*job_);
      {
        std::lock_guard done(job_->mutex);
        job_->result = std::move(result);
        job_->done = true;
        job_->ready.notify_all();
      }
      lock.lock();
      job_.reset();
      idle_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable idle_;
  std::condition_variable_any wake_;
  std::shared_ptr<DotJob> job_;
  std::jthread thread_;  // last: joined before the rest goes
};

}  // namespace

std::optional<DotPlaces> dotPlaces(const SceneGraph& graph, const SourceOrder& order, const Sizes& flowSizes,
                                   const LayoutOptions& options, const std::stop_token& stop) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                                               std::chrono::duration<double>(options.dotSeconds));
  auto job = std::make_shared<DotJob>();
  job->nodeGap = options.nodeGap, job->rankGap = options.rankGap;
  job->nodes.resize(graph.nodes.size());
  for (size_t v = 0; v < graph.nodes.size(); v++) job->nodes[v] = {flowSizes[v].w, flowSizes[v].h, 0};
  for (size_t e = 0; e < graph.edges.size(); e++) {
    const SceneEdge& edge = graph.edges[e];
    job->nodes[edge.to].ports = std::max<uint32_t>(job->nodes[edge.to].ports, edge.portCount);
    job->edges.push_back(
        {edge.from, order.backEdge[e] ? edge.from : edge.to, edge.port, edge.state == EdgeState::Ghost});
  }
  if (!DotThread::instance().start(job, deadline)) return std::nullopt;
  std::unique_lock lock(job->mutex);
  if (!job->ready.wait_until(lock, stop, deadline, [&] { return job->done; })) return std::nullopt;
  return std::move(job->result);
}

}  // namespace rangescope::viewer::layered
