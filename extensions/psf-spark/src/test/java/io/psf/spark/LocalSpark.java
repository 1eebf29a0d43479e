package io.psf.spark;

import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * The application in one process, with two servers, that classes of tests share: it starts once, and ends with the JVM.
 * A JVM has one application at a time, so one with other settings ends it.
 */
public final class LocalSpark {
    private static @Nullable SparkSession shared;

    private LocalSpark() {}

    /** Returns the application, which no test stops. */
    public static synchronized SparkSession get() {
        SparkSession running = shared;
        if (running == null) {
            running = withPlugin().getOrCreate();
            shared = running;
        }
        return running;
    }

    /** Returns the builder of another application in one process, with the plugin. */
    public static SparkSession.Builder withPlugin() {
        return another().config("spark.plugins", PsfPlugin.class.getName());
    }

    /** Returns the builder of another application in one process, without the plugin. */
    static synchronized SparkSession.Builder another() {
        if (shared != null) {
            shared.stop();
            shared = null;
        }
        return SparkSession.builder()
                .master("local[2]")
                .appName("local")
                .config("spark.ui.enabled", false)
                .config("spark.sql.shuffle.partitions", 2)
                .config("spark.psf.servers", 2);
    }
}
