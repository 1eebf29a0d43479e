package io.psf.acceptance;

import io.psf.api.spi.FolderStore;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.Tls;
import io.psf.runtime.TransportConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A scheduler with two servers, over TCP, with TLS and a secret or without both. */
record Nodes(Scheduler scheduler, List<CompletableFuture<Server>> servers) implements AutoCloseable {
    static final String SECRET = "a secret of this test alone";

    static Nodes start(SchedulerConfig config, @Nullable Tls tls, Path folder) {
        return start(config, tls, TransportConfig.usual(), folder);
    }

    static Nodes start(SchedulerConfig config, @Nullable Tls tls, TransportConfig over, Path folder) {
        Scheduler scheduler =
                Scheduler.start(tls == null ? config : config.withTls(tls).withSecret(SECRET));
        ServerConfig plain = ServerConfig.of("127.0.0.1", scheduler.port())
                .withCheckpoints(new FolderStore(folder))
                .withTransport(over);
        ServerConfig server = tls == null ? plain : plain.withTls(tls).withSecret(SECRET);
        return new Nodes(scheduler, List.of(starting(server), starting(server)));
    }

    /** A server has started once the cluster is complete, with the workers of a job. */
    private static CompletableFuture<Server> starting(ServerConfig config) {
        return CompletableFuture.supplyAsync(() -> Server.start(config));
    }

    String address() {
        return "127.0.0.1:" + scheduler.port();
    }

    @Override
    public void close() {
        servers.forEach(each -> each.join().close());
        scheduler.close();
    }
}
