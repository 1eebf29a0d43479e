package io.psf.runtime;

import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Transport;
import java.util.List;

/** Starts nodes on a transport that the caller gives. In this package, since users of psf cannot do that. */
public final class SimulatedNodes {
    private SimulatedNodes() {}

    /** Starts a scheduler. */
    public static Scheduler scheduler(SchedulerConfig config, Transport transport, FramePool pool) {
        return Scheduler.start(config, new Network(pool, transport, true));
    }

    /** Starts a server. Blocks until it has joined. */
    public static Server server(ServerConfig config, Transport transport, FramePool pool) {
        return Server.start(config, new Network(pool, transport, true), List.of(), List.of(), now -> {});
    }

    /** Connects a worker. Blocks until the cluster is complete. */
    public static Worker worker(WorkerConfig config, Transport transport, FramePool pool) {
        return Worker.connect(config, new Network(pool, transport, true));
    }

    /** Connects a client. Blocks until the cluster is complete. */
    public static Client client(WorkerConfig config, Transport transport, FramePool pool) {
        return Client.connect(config, new Network(pool, transport, true));
    }
}
