package io.psf.spark;

import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The driver's part of a cluster: its scheduler, unless the cluster is another one, and the seats of its servers. */
final class DriverNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DriverNode.class);

    private static final long LEAVE_SECONDS = 2;
    private static final long END_SECONDS = 8;

    private final @Nullable Scheduler scheduler;
    private final Seats seats;
    private final Map<String, String> settings;
    private boolean closed;

    private DriverNode(@Nullable Scheduler scheduler, Seats seats, Map<String, String> settings) {
        this.scheduler = scheduler;
        this.seats = seats;
        this.settings = Map.copyOf(settings);
    }

    /** Starts the scheduler that the application's settings ask for. */
    static DriverNode start(SparkContext context) {
        SparkSettings wanted = new SparkSettings(context.getConf());
        Map<String, String> settings = new HashMap<>();
        settings.put(ClusterSettings.APPLICATION, UUID.randomUUID().toString());
        settings.put(ClusterSettings.DEADLINE, wanted.deadline().toString());
        settings.put(ClusterSettings.CHECKPOINTS, wanted.checkpoints());
        settings.put(ClusterSettings.MAPPED, wanted.mapped());
        settings.put(ClusterSettings.MEMORY, wanted.memory());
        settings.putAll(wanted.tls());
        DriverNode node = wanted.scheduler()
                .map(address -> of(address, wanted, settings))
                .orElseGet(() -> started(context, wanted, settings));
        context.addSparkListener(new SparkListener() {
            @Override
            public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
                node.seats.free(removed.executorId());
            }

            /** Ends the servers in order: Spark ends their executors next. */
            @Override
            public void onApplicationEnd(SparkListenerApplicationEnd end) {
                node.close();
            }
        });
        NodeClient.use(ClusterSettings.of(node.settings));
        return node;
    }

    private static DriverNode of(HostPort scheduler, SparkSettings wanted, Map<String, String> settings) {
        settings.put(ClusterSettings.HOST, scheduler.host());
        settings.put(ClusterSettings.PORT, "" + scheduler.port());
        settings.put(ClusterSettings.SECRET, wanted.secret().orElse(""));
        settings.put(ClusterSettings.SERVERS, "0");
        return new DriverNode(null, new Seats(0), settings);
    }

    private static DriverNode started(SparkContext context, SparkSettings wanted, Map<String, String> settings) {
        String secret = wanted.secret().orElseGet(DriverNode::newSecret);
        int servers = wanted.servers(context.isLocal());
        if (!context.isLocal()) {
            wanted.requireExecutorsFor(servers);
        }
        SchedulerConfig config = SchedulerConfig.of(servers, 1)
                .asService()
                .listen(wanted.bindAddress(), wanted.port())
                .withServerReturn(wanted.serverReturn())
                .withHeartbeatLimit(wanted.heartbeat())
                .withJoinTimeout(wanted.joinTimeout())
                .withSecret(secret);
        Scheduler scheduler = Scheduler.start(
                ClusterSettings.of(settings).tls().map(config::withTls).orElse(config));
        settings.put(ClusterSettings.HOST, wanted.driverHost());
        settings.put(ClusterSettings.PORT, "" + scheduler.port());
        settings.put(ClusterSettings.SECRET, secret);
        settings.put(ClusterSettings.SERVERS, "" + (context.isLocal() ? servers : 1));
        LOG.info(
                "psf: scheduler at {}:{}, for {} servers in the executors",
                wanted.driverHost(),
                scheduler.port(),
                servers);
        return new DriverNode(scheduler, new Seats(servers), settings);
    }

    private static String newSecret() {
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        return HexFormat.of().formatHex(secret);
    }

    Map<String, String> settings() {
        return settings;
    }

    /** True if the cluster is not this application's. */
    boolean isOfOthers() {
        return scheduler == null;
    }

    Seats seats() {
        return seats;
    }

    /** Ends the cluster that this driver has started. A cluster of others goes on. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (scheduler == null) {
            NodeClient.close();
            return;
        }
        // The client leaves first. It would wait for servers that are awaited, so its time is limited.
        CompletableFuture<Void> ended = CompletableFuture.runAsync(NodeClient::close)
                .completeOnTimeout(null, LEAVE_SECONDS, TimeUnit.SECONDS)
                .thenRunAsync(() -> {
                    scheduler.end();
                    scheduler.awaitTermination();
                });
        try {
            var unused = ended.get(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) { // an executor that stands still does not leave
            LOG.info("psf: the cluster has not ended in order: {}", e.toString());
        } finally {
            scheduler.close();
        }
    }
}
