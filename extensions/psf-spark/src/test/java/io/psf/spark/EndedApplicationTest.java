package io.psf.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of an application that has lost an executor. */
@Timeout(180)
class EndedApplicationTest {
    /** Of two minutes, the default in Spark, the client of a killed executor is not lost before the end. */
    @Test
    @Tag("chaos")
    void anApplicationThatHasLostAnExecutorEndsInOrder() throws Exception {
        Lines lines = new Lines();
        Logger log = (Logger) LogManager.getLogger(DriverNode.class);
        lines.start();
        log.addAppender(lines);
        try (SparkSession spark =
                LocalCluster.of(2, 1024).config("spark.psf.heartbeat", "120s").getOrCreate()) {
            new JavaSparkContext(spark.sparkContext())
                    .parallelize(List.of(1, 2, 3, 4), 4)
                    .foreach(ignored -> PsSpark.client().rollback()); // so that each executor has a client
            Map<String, String> removed = LocalCluster.removals(spark);
            ProcessHandle.of(LocalCluster.executors(spark).values().iterator().next())
                    .orElseThrow()
                    .destroyForcibly();
            await().forever().until(() -> !removed.isEmpty());
            PsSpark.client().rollback(); // once another server has the place of the lost one
        } finally {
            log.removeAppender(lines);
        }
        assertThat(lines.seen)
                .anyMatch(line -> line.startsWith("psf: scheduler at "))
                .noneMatch(line -> line.contains("not ended in order"));
    }

    /** The lines of a logger. */
    private static final class Lines extends AbstractAppender {
        final List<String> seen = new CopyOnWriteArrayList<>();

        Lines() {
            super("lines", null, null, true, Property.EMPTY_ARRAY);
        }

        @Override
        public void append(LogEvent event) {
            seen.add(event.getMessage().getFormattedMessage());
        }
    }
}
