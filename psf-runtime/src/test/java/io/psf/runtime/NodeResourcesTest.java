package io.psf.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.CallListener;
import io.psf.api.Member;
import io.psf.api.Metric;
import io.psf.api.NodeInfo;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.runtime.internal.transport.memory.InProcessTransport;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What nodes are made of. */
final class NodeResourcesTest {
    private final List<String> closed = new ArrayList<>();

    /** Records that it was closed. */
    private final class Recorded implements Transport {
        private final InProcessTransport inner = new InProcessTransport();

        @Override
        public Listener listen(String host, int port, Acceptor acceptor) {
            return inner.listen(host, port, acceptor);
        }

        @Override
        public Channel connect(String host, int port, Acceptor acceptor) {
            return inner.connect(host, port, acceptor);
        }

        @Override
        public void close() {
            closed.add("transport");
            inner.close();
        }
    }

    private NodeResources open(boolean isOwned) {
        return new NodeResources("test", new Network(Defaults.pool(), new Recorded(), isOwned));
    }

    private AutoCloseable part(String name) {
        return () -> closed.add(name);
    }

    private void fill(NodeResources node) {
        node.receiver(part("store"));
        node.receiver(part("dispatcher"));
        node.sender(part("link"));
        node.sender(part("calls"));
    }

    @Test
    void whatSendsIsClosedBeforeTheTransportAndWhatReceivesAfterIt() {
        NodeResources node = open(true);
        fill(node);
        node.close();
        node.close();
        assertThat(closed).containsExactly("calls", "link", "transport", "dispatcher", "store");
    }

    @Test
    void aTransportThatOthersUseStaysOpen() {
        NodeResources node = open(false);
        fill(node);
        node.close();
        assertThat(closed).containsExactly("calls", "link", "dispatcher", "store");
    }

    @Test
    void aStartThatFailsClosesWhatItHasOpened() {
        NodeResources node = open(true);
        PsException failure = new PsException(PsException.Code.TIMED_OUT, "no scheduler");
        assertThatThrownBy(() -> node.start(() -> {
                    fill(node);
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(closed).containsExactly("calls", "link", "transport", "dispatcher", "store");
    }

    @Test
    void aPartThatFailsToCloseKeepsNoOtherOneOpen() {
        NodeResources node = open(true);
        node.receiver(part("store"));
        node.sender((AutoCloseable) () -> {
            throw new IllegalStateException("a defect");
        });
        node.sender(part("calls"));
        node.close();
        assertThat(closed).containsExactly("calls", "transport", "store");
    }

    @Test
    void aListenerLearnsOfTheNodeOnceWhetherItWasAddedBeforeTheStartOrAfter() {
        List<NodeInfo> told = new ArrayList<>();
        List<List<Metric>> metrics = new ArrayList<>();
        CallListener listener = new CallListener() {
            @Override
            public void started(NodeInfo node, Supplier<List<Metric>> all) {
                told.add(node);
                metrics.add(all.get());
            }
        };
        NodeInfo info = new NodeInfo(Role.WORKER, 3, "5eed");
        try (NodeResources node = open(true)) {
            node.listen(listener);
            assertThat(told).isEmpty();
            node.started(info, () -> List.of(new Member(Role.WORKER, 3, "", 0)));
            assertThat(told).containsExactly(info);
            node.listen(listener);
            assertThat(told).containsExactly(info, info);
        }
        assertThat(metrics).allSatisfy(all -> {
            assertThat(all).extracting(Metric::name).contains("psf.memory.used", "psf.memory.bound");
            assertThat(all)
                    .filteredOn(each -> each.name().equals("psf.members"))
                    .flatExtracting(Metric::samples)
                    .contains(new Metric.Sample(Map.of("role", "worker"), 1));
        });
    }
}
