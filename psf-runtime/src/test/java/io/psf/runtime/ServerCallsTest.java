package io.psf.runtime;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.spi.CallOptions;
import io.psf.runtime.internal.cluster.ClusterFunctions;
import io.psf.runtime.internal.cluster.ClusterLink;
import io.psf.runtime.internal.cluster.ClusterViews;
import io.psf.runtime.internal.cluster.Join;
import io.psf.runtime.internal.cluster.Ping;
import io.psf.runtime.internal.cluster.PingPsf;
import io.psf.runtime.internal.server.Connections;
import io.psf.runtime.internal.server.Dispatcher;
import io.psf.runtime.internal.server.handler.Handlers;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.shard.Placements;
import io.psf.runtime.internal.store.Stores;
import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.transport.FramePool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ServerCallsTest {
    /** The sentence of the process, and not the stack trace of a future. */
    @Test
    void aServerThatIsLostAgainBeforeItHasItsSlicesSaysSo() throws Exception {
        FramePool pool = Defaults.pool();
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 1).asService());
                NodeResources node =
                        new NodeResources("test", Network.open(TransportConfig.usual(), pool, Security.NONE))) {
            ClusterLink link = node.join(
                    JoinConfig.of("127.0.0.1", scheduler.port()), Join.Request.of(Role.SERVER, -1, "127.0.0.1", 4081));
            HostNode host = HostNode.start(
                    "test", Role.SERVER, 1, Placements.host(Stores.inMemory(MemoryLimit.NONE)), null, pool);
            Dispatcher dispatcher = node.receiver(new Dispatcher(
                    host,
                    new Connections(host, pool, 1 << 20),
                    pool,
                    Handlers.found(new ClassLoader(null) {}),
                    ClusterFunctions.OPEN_TO_STRANGERS));
            ServerCalls calls = node.sender(new ServerCalls(node.client(), link, node.transport(), dispatcher));
            ClusterViews.left(link.view(), link.rank());
            assertThatThrownBy(() -> calls.here().call(PingPsf.FUNCTION, new Ping.Request(), null, CallOptions.DEFAULT))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("UNAVAILABLE: server 0: not in the cluster");
        }
    }
}
