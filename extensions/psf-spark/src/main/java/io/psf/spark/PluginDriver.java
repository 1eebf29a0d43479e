package io.psf.spark;

import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.jspecify.annotations.Nullable;

/** The part of the plugin in the driver: the scheduler, and the seats of the servers. */
final class PluginDriver implements DriverPlugin {
    private @Nullable DriverNode node;

    /** Returns what the executors receive, as Spark sends its own settings. */
    @Override
    public Map<String, String> init(SparkContext context, PluginContext plugin) {
        DriverNode started = DriverNode.start(context);
        node = started;
        if (!context.isLocal()) { // else the executor's part of this process counts the calls
            NodeClient.listen(new ProcessMetrics(plugin.metricRegistry()).calls());
        }
        return started.settings();
    }

    /** Answers an executor that offers to run a server: whether it has a seat. A failure has no answer. */
    @Override
    public @Nullable Object receive(Object message) {
        if (message instanceof Seats.Failure failure) {
            NodeClient.failed(failure);
            return null;
        }
        if (node != null && message instanceof Seats.Offer offer) {
            return node.seats().take(offer);
        }
        throw new IllegalArgumentException("message: " + message.getClass().getName() + " (expected: "
                + Seats.Offer.class.getName() + ", to a driver that has started)");
    }

    @Override
    public void shutdown() {
        if (node != null) {
            node.close();
        }
    }
}
