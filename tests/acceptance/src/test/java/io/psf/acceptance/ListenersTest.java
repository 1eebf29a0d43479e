package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.CallListener;
import io.psf.api.CallPart;
import io.psf.api.Metric;
import io.psf.api.NodeInfo;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.RequestListener;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.PsCluster;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The events of workers and servers. */
final class ListenersTest {
    private static final String PUSH = "psf.dense.push";

    /** One event. */
    private record Event(String what, String function, Code outcome, long bytes, long nanos) {}

    private static final class Requests implements RequestListener {
        final List<Event> events = new CopyOnWriteArrayList<>();

        @Override
        public void queued(CallPart part, long bytes, int depth) {
            events.add(new Event("queued", part.function(), Code.OK, bytes, depth));
        }

        @Override
        public void handled(CallPart part, long waitedNanos, long ranNanos) {
            assertThat(waitedNanos).isNotNegative();
            events.add(new Event("handled", part.function(), Code.OK, 0, ranNanos));
        }

        @Override
        public void answered(CallPart part, Code outcome, long bytes, long nanos) {
            events.add(new Event("answered", part.function(), outcome, bytes, nanos));
        }
    }

    private static final class Calls implements CallListener {
        final List<Event> events = new CopyOnWriteArrayList<>();
        /** The threads that have made calls. */
        final Set<Thread> threads = ConcurrentHashMap.newKeySet();

        @Override
        public void called(CallPart call) {
            events.add(new Event("called", call.function(), Code.OK, 0, 0));
            threads.add(Thread.currentThread());
        }

        @Override
        public void sent(CallPart part, long bytes) {
            events.add(new Event("sent", part.function(), Code.OK, bytes, 0));
        }

        @Override
        public void received(CallPart part, long bytes) {
            events.add(new Event("received", part.function(), Code.OK, bytes, 0));
        }

        @Override
        public void ended(CallPart part, Code outcome, long nanos) {
            events.add(new Event("ended", part.function(), outcome, 0, nanos));
        }
    }

    private static List<Event> of(List<Event> events, String function) {
        return events.stream().filter(event -> event.function.equals(function)).toList();
    }

    private static Event only(List<Event> events, String what) {
        List<Event> some =
                events.stream().filter(event -> event.what.equals(what)).toList();
        assertThat(some).as(what).hasSize(1);
        return some.get(0);
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void aCallIsSeenOnBothSides(Over over) {
        try (PsCluster cluster = Clusters.start(over, 1, 1)) {
            TensorId w =
                    Tensors.init(cluster.worker(), TensorSpec.dense("w", 1000).slices(1));
            Requests requests = new Requests();
            Calls calls = new Calls();
            cluster.servers().get(0).listen(requests);
            cluster.worker().listen(calls);
            Tensors.push(cluster.worker(), w, new float[1000]).await();

            await().until(() -> of(requests.events, PUSH).size() == 3);
            List<Event> onServer = of(requests.events, PUSH);
            assertThat(onServer).extracting(Event::what).containsExactlyInAnyOrder("queued", "handled", "answered");
            assertThat(onServer.get(0).what).isEqualTo("queued");
            assertThat(only(onServer, "answered").outcome).isEqualTo(Code.OK);
            assertThat(only(onServer, "answered").nanos).isPositive();

            await().until(() -> of(calls.events, PUSH).size() == 4);
            List<Event> onWorker = of(calls.events, PUSH);
            assertThat(onWorker)
                    .extracting(Event::what)
                    .containsExactlyInAnyOrder("called", "sent", "received", "ended");
            assertThat(onWorker.get(0).what).isEqualTo("called");
            assertThat(calls.threads).contains(Thread.currentThread());
            assertThat(only(onWorker, "sent").bytes).isBetween(4000L, 5000L);
            assertThat(only(onServer, "queued").bytes).isEqualTo(only(onWorker, "sent").bytes);
            assertThat(only(onWorker, "received").bytes).isEqualTo(only(onServer, "answered").bytes);
            assertThat(only(onWorker, "ended").outcome).isEqualTo(Code.OK);
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void aFailureIsSeenOnBothSides(Over over) {
        try (PsCluster cluster = Clusters.start(over, 1, 1)) {
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 4));
            Requests requests = new Requests();
            Calls calls = new Calls();
            cluster.servers().get(0).listen(requests);
            cluster.worker().listen(calls);
            assertThatThrownBy(() -> FaultyPsf.stub(cluster.worker())
                            .call(w, Faulty.Fault.EXCEPTION)
                            .await())
                    .isInstanceOf(PsException.class);
            String name = FaultyPsf.FUNCTION.info().name();
            assertThat(only(of(requests.events, name), "answered").outcome).isEqualTo(Code.HANDLER_FAILED);
            await().until(() -> of(calls.events, name).size() == 4);
            assertThat(only(of(calls.events, name), "ended").outcome).isEqualTo(Code.HANDLER_FAILED);
        }
    }

    /** A listener's defect is the listener's. */
    @ParameterizedTest
    @EnumSource(Over.class)
    void aListenerThatThrowsChangesNothing(Over over) {
        try (PsCluster cluster = Clusters.start(over, 1, 1)) {
            Requests good = new Requests();
            cluster.servers().get(0).listen(new RequestListener() {
                @Override
                public void queued(CallPart part, long bytes, int depth) {
                    throw new IllegalStateException("a defect of the listener");
                }

                @Override
                public void answered(CallPart part, Code outcome, long bytes, long nanos) {
                    throw new AssertionError("a defect of the listener");
                }
            });
            cluster.servers().get(0).listen(good);
            cluster.worker().listen(new CallListener() {
                @Override
                public void ended(CallPart part, Code outcome, long nanos) {
                    throw new IllegalStateException("a defect of the listener");
                }
            });
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 4));
            Tensors.push(cluster.worker(), w, new float[4]).await();
            assertThat(of(good.events, PUSH)).extracting(Event::what).contains("queued", "answered");
        }
    }

    @Test
    void listenersLearnOfTheirNodeAndReadItsGauges() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 2)) {
            Gauges worker = new Gauges();
            Gauges server = new Gauges();
            Gauges scheduler = new Gauges();
            cluster.worker(1).listen(worker.ofWorker());
            cluster.servers().get(1).listen(server);
            cluster.scheduler().listen(scheduler);

            String identity = worker.nodes.get(0).cluster();
            assertThat(identity).matches("[0-9a-f]{1,16}");
            assertThat(worker.nodes).containsExactly(new NodeInfo(Role.WORKER, 1, identity));
            assertThat(server.nodes).containsExactly(new NodeInfo(Role.SERVER, 1, identity));
            assertThat(scheduler.nodes).containsExactly(new NodeInfo(Role.SCHEDULER, 0, identity));
            assertThat(List.of(worker, server, scheduler)).allSatisfy(each -> {
                assertThat(each.metric("psf.members").samples())
                        .containsExactlyInAnyOrder(
                                new Metric.Sample(Map.of("role", "server"), 2),
                                new Metric.Sample(Map.of("role", "worker"), 2));
                assertThat(each.read("psf.memory.used")).isBetween(0.0, each.read("psf.memory.bound"));
            });
            assertThat(server.read("psf.lanes")).isGreaterThanOrEqualTo(2);
            assertThat(server.read("psf.sessions")).as("one of each worker").isEqualTo(2);
            assertThat(scheduler.read("psf.sessions")).as("one of each node").isEqualTo(4);
        }
    }

    @Test
    void anOpenRoundIsAGauge() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 1, 2)) {
            Gauges server = new Gauges();
            Gauges worker = new Gauges();
            cluster.servers().get(0).listen(server);
            cluster.worker(0).listen(worker.ofWorker());
            TensorId w = Tensors.init(
                    cluster.worker(), TensorSpec.dense("w", 4).slices(2).updates(Updates.SUM));
            assertThat(server.read("psf.shards.waiting")).isZero();
            Pending<?> first = Tensors.push(cluster.worker(0), w, new float[4]);
            await().until(() -> server.read("psf.shards.waiting") == 2);
            assertThat(server.read("psf.calls.deferred")).isGreaterThanOrEqualTo(2);
            assertThat(worker.read("psf.calls.outstanding")).isGreaterThanOrEqualTo(1);
            Tensors.push(cluster.worker(1), w, new float[4]).await();
            first.await();
            await().until(() -> server.read("psf.shards.waiting") == 0);
        }
    }

    @Test
    void aListenerThatFailsAtTheStartChangesNothing() {
        try (PsCluster cluster = PsCluster.embedded(1)) {
            cluster.worker().listen(new CallListener() {
                @Override
                public void started(NodeInfo node, Supplier<List<Metric>> metrics) {
                    throw new IllegalStateException("a defect of the listener");
                }
            });
            assertThat(Tensors.init(cluster.worker(), TensorSpec.dense("w", 4)).name())
                    .isEqualTo("w");
        }
    }
}
