package io.psf.spark;

import org.apache.spark.SparkContext$;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.StorageLevel;
import scala.reflect.ClassTag$;

/**
 * Keeps dynamic allocation from removing an executor that has a server and is idle. Spark does not remove an executor
 * with a cached block of an RDD, unless {@code spark.dynamicAllocation.cachedExecutorIdleTimeout} is set. The block is
 * a byte on the executor's disk, of an RDD that no application has.
 */
final class KeptExecutor {
    private static final int RDD = Integer.MAX_VALUE;

    private KeptExecutor() {}

    /**
     * Keeps the executor of this process, from now on until it ends. Does nothing without dynamic allocation, and in
     * the driver, of local mode.
     */
    static void keep() {
        SparkEnv env = SparkEnv.get();
        if (env == null
                || !env.conf().getBoolean(SparkSettings.DYNAMIC, false)
                || env.executorId().equals(SparkContext$.MODULE$.DRIVER_IDENTIFIER())) {
            return;
        }
        // A block of each executor: one of several would be a replica, which Spark makes again elsewhere when one is
        // lost.
        int number = env.executorId().hashCode() & Integer.MAX_VALUE;
        boolean unused = env.blockManager()
                .putSingle(
                        new RDDBlockId(RDD, number),
                        new byte[1],
                        StorageLevel.DISK_ONLY(),
                        true,
                        ClassTag$.MODULE$.apply(byte[].class));
    }
}
