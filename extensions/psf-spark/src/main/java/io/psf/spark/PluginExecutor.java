package io.psf.spark;

import io.psf.api.RequestListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The part of the plugin in an executor: its client, and the servers for which it has a seat. */
final class PluginExecutor implements ExecutorPlugin {
    private static final Logger LOG = LoggerFactory.getLogger(PluginExecutor.class);

    private final List<ExecutorServer> servers = new ArrayList<>();

    /** Does not block: servers wait for each other on threads of their own. */
    @Override
    public void init(PluginContext context, Map<String, String> settings) {
        ClusterSettings cluster = ClusterSettings.of(settings);
        NodeClient.use(cluster);
        ProcessMetrics metrics = new ProcessMetrics(context.metricRegistry());
        NodeClient.listen(metrics.calls());
        RequestListener requests = metrics.requests();
        for (int i = 0; i < cluster.serversPerExecutor(); i++) {
            Seats.Offer offer = new Seats.Offer(context.executorID(), i);
            servers.add(ExecutorServer.start(
                    cluster, host(context), server -> server.listen(requests), new SeatOfDriver(context, offer)));
        }
    }

    private record SeatOfDriver(PluginContext context, Seats.Offer offer) implements ExecutorServer.Seat {
        @Override
        public boolean isFree() throws Exception {
            return (Boolean) context.ask(offer);
        }

        @Override
        public void failed(String why) {
            try {
                context.send(new Seats.Failure(offer.executor(), why));
            } catch (Exception e) { // without a driver the executor ends
                LOG.debug("the driver is not told", e);
            }
        }
    }

    /**
     * Returns the executor's host as Spark names it: {@code context.hostname()} fails in an executor of its own
     * process.
     */
    private static String host(PluginContext context) {
        BlockManagerId id = SparkEnv.get().blockManager().blockManagerId();
        return id == null ? context.conf().get("spark.driver.host") : id.host();
    }

    @Override
    public void shutdown() {
        NodeClient.close();
        servers.forEach(ExecutorServer::close);
    }
}
