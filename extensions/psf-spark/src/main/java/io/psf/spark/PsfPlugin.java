package io.psf.spark;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Makes a Spark application a cluster of psf: {@code spark.plugins=io.psf.spark.PsfPlugin}. The driver has the
 * scheduler, the executors have the servers, and each process has one client ({@link PsSpark#client}). With {@code
 * spark.psf.scheduler=host:port} the processes are clients of a cluster that is there already. Spark creates it.
 */
public final class PsfPlugin implements SparkPlugin {
    @Override
    public DriverPlugin driverPlugin() {
        return new PluginDriver();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new PluginExecutor();
    }
}
