package io.psf.benchmarks.scale;

import io.psf.api.Node;
import io.psf.api.Role;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorDeclaration.Rounds;
import io.psf.api.TensorDeclaration.Rule;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.runtime.internal.cluster.Barrier;
import io.psf.runtime.internal.cluster.BarrierPsf;
import io.psf.runtime.internal.cluster.Declare;
import io.psf.runtime.internal.cluster.DeclarePsf;
import io.psf.runtime.internal.cluster.Leave;
import io.psf.runtime.internal.cluster.LeavePsf;
import io.psf.runtime.internal.cluster.RestoreFrom;
import io.psf.runtime.internal.cluster.RestoreFromPsf;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Measures what a scheduler costs: forms a cluster, then changes it step by step.
 *
 * @param servers the number of servers
 * @param workers the number of workers
 * @param tensors the number of tensors, each with a slice at every server
 */
public record ScaleRun(int servers, int workers, int tensors) {
    /** The number of workers that join a running job, one after another. */
    static final int LATE = 20;

    /** The virtual time of a cluster in rest. */
    private static final int REST_SECONDS = 60;

    private static final long ROWS = 1_000_000;

    /** Returns the costs by the names of the steps. */
    public Map<String, Cost> measure() {
        Map<String, Cost> costs = new LinkedHashMap<>();
        try (ControlPlane plane = new ControlPlane(servers, workers)) {
            form(plane, costs);
            rest(plane, costs);
            comeAndGo(plane, costs);
            barrier(plane, costs);
            declare(plane, costs);
            loseAndReturn(plane, costs);
        }
        return costs;
    }

    private void form(ControlPlane plane, Map<String, Cost> costs) {
        for (int i = 0; i < servers + workers; i++) {
            SimulatedNode node = plane.connect(i < servers ? Role.SERVER : Role.WORKER);
            if (i == servers + workers - 1) {
                costs.put("joins before the last", plane.takeCost());
            }
            node.join(-1);
        }
        costs.put("the last join: the cluster forms", plane.takeCost());
        plane.beat();
        require(plane);
        costs.put("the first heartbeats", plane.takeCost());
    }

    private static void rest(ControlPlane plane, Map<String, Cost> costs) {
        for (int i = 0; i < REST_SECONDS; i++) {
            second(plane);
        }
        costs.put("a second in rest", plane.takeCost().dividedBy(REST_SECONDS));
    }

    private static void second(ControlPlane plane) {
        for (long i = 1_000 / ControlPlane.TICK.toMillis(); i > 0; i--) {
            plane.tick();
            plane.beat();
        }
    }

    private static void comeAndGo(ControlPlane plane, Map<String, Cost> costs) {
        List<SimulatedNode> late = new ArrayList<>();
        for (int i = 0; i < LATE; i++) {
            SimulatedNode node = plane.connect(Role.WORKER);
            node.join(-1);
            plane.beat();
            late.add(node);
        }
        require(plane);
        costs.put("a worker joins the running job", plane.takeCost().dividedBy(LATE));
        for (SimulatedNode node : late) {
            plane.call(node, LeavePsf.FUNCTION, new Leave.Request());
            plane.silence(node);
            plane.beat();
        }
        require(plane);
        costs.put("a worker leaves", plane.takeCost().dividedBy(LATE));
    }

    private static void barrier(ControlPlane plane, Map<String, Cost> costs) {
        List<SimulatedNode> workers = plane.nodes().stream()
                .filter(node -> node.role() == Role.WORKER)
                .toList();
        SimulatedNode last = workers.get(workers.size() - 1);
        for (SimulatedNode worker : workers) {
            if (worker == last) {
                costs.put("calls of a barrier before the last", plane.takeCost());
            }
            plane.call(worker, BarrierPsf.FUNCTION, new Barrier.Request(0));
        }
        Cost opened = plane.takeCost();
        if (opened.framesOut() != workers.size()) {
            throw new AssertionError("answers of the barrier: " + opened.framesOut() + " (expected: one each)");
        }
        costs.put("the last call: the barrier opens", opened);
    }

    /** Declares one tensor, of which all nodes learn; then the others in one call, of which one node learns. */
    private void declare(ControlPlane plane, Map<String, Cost> costs) {
        SimulatedNode worker = plane.nodes().get(servers);
        plane.call(worker, DeclarePsf.FUNCTION, new Declare.Request(List.of(tensor(0)), worker.epoch()));
        plane.beat();
        require(plane);
        costs.put("a tensor is declared", plane.takeCost());
        for (int i = 0; i < 60; i++) { // every heartbeat is answered and not renewed: no node waits for the others
            plane.tick();
        }
        plane.takeCost();
        List<TensorDeclaration> others =
                IntStream.range(1, tensors).mapToObj(ScaleRun::tensor).toList();
        plane.call(worker, DeclarePsf.FUNCTION, new Declare.Request(others, worker.epoch()));
        costs.put("the other tensors are declared", plane.takeCost());
        SimulatedNode first = plane.nodes().get(0); // it decodes long answers
        first.beat();
        costs.put("a node learns of them", plane.takeCost());
        first.forget();
        first.beat();
        costs.put("a node receives the whole state", plane.takeCost());
    }

    private static TensorDeclaration tensor(int number) {
        return new TensorDeclaration(
                new TensorInfo(TensorId.of("layer" + number + ".weight"), ROWS, 16),
                0,
                "",
                Node.HOST,
                new Rule("psf.constant", Map.of("value", "0"), Map.of()),
                new Rule("psf.adam", Map.of("lr", "0.001", "b1", "0.9", "b2", "0.999", "eps", "1e-8"), Map.of()),
                Rounds.NONE,
                Map.of(),
                "");
    }

    /** A server is silent until it is lost, then another one takes its place. */
    private void loseAndReturn(ControlPlane plane, Map<String, Cost> costs) {
        SimulatedNode first = plane.nodes().get(0);
        plane.nodes().forEach(node -> node.follow(first.epoch()));
        plane.beat();
        plane.call(
                plane.nodes().get(servers),
                RestoreFromPsf.FUNCTION,
                new RestoreFrom.Request("m", true, false, 0, false));
        plane.beat();
        require(plane);
        plane.takeCost();
        long epoch = first.epoch();
        plane.silence(plane.nodes().get(servers - 1));
        long ticks = 0;
        Cost tick = Cost.NONE;
        while (first.epoch() == epoch) {
            plane.takeCost();
            plane.tick();
            tick = plane.takeCost();
            ticks++;
            if (first.epoch() == epoch) {
                plane.beat();
            }
        }
        plane.beat();
        require(plane);
        costs.put("a lost server is detected", tick.plus(plane.takeCost()));
        costs.put(
                "from its silence to that, by the virtual clock",
                new Cost(0, 0, 0, 0, ticks * ControlPlane.TICK.toNanos()));
        SimulatedNode next = plane.connect(Role.SERVER);
        next.join(-1);
        plane.beat();
        require(plane);
        costs.put("a server comes in its place", plane.takeCost());
    }

    /** Checks that all nodes know the same state, and that their heartbeats wait. */
    private static void require(ControlPlane plane) {
        long epoch = plane.nodes().get(0).epoch();
        for (SimulatedNode node : plane.nodes()) {
            if (node.epoch() != epoch || node.isBeatDue()) {
                throw new AssertionError("epoch of a node: " + node.epoch() + " (expected: " + epoch + ")");
            }
        }
    }
}
