package io.psf.runtime.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Member;
import io.psf.api.Metric;
import io.psf.api.Role;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.session.Admission;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.internal.server.session.PeerLimits;
import io.psf.runtime.internal.server.shard.Placements;
import io.psf.runtime.internal.store.Stores;
import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.RecordedChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectionsTest {
    private static final Member WORKER = new Member(Role.WORKER, 0, "", 0);
    private static final Member OTHER = new Member(Role.WORKER, 1, "", 0);

    private final FramePool pool = new FramePool(1 << 20);

    /**
     * Each attempt of a peer to say hello has a session of its own, since it does not know whether the one before
     * exists.
     */
    @Test
    void sessionsWhoseHellosWereAnsweredInVainEndWithTheNextOne() {
        HostNode node =
                HostNode.start("test", Role.SERVER, 1, Placements.host(Stores.inMemory(MemoryLimit.NONE)), null, pool);
        try (Connections connections = new Connections(node, pool, 1 << 20);
                Admission admission = new Admission("test", pool, () -> true, () -> false, () -> {})) {
            connections.open(new Connection(new RecordedChannel(), pool, 1 << 20, admission), OTHER, 1, 1000);
            for (int hello = 1; hello <= 3 * PeerLimits.CONNECTIONS_OF_A_MEMBER; hello++) {
                Connection connection = new Connection(new RecordedChannel(), pool, 1 << 20, admission);
                connections.open(connection, WORKER, 1, hello);
                connection.detach(connection.channel());
            }
            assertThat(node.numbers().metrics().stream()
                            .filter(metric -> metric.name().equals("psf.sessions"))
                            .map(Metric::value))
                    .containsExactly(2.0);
        } finally {
            node.close();
        }
    }
}
