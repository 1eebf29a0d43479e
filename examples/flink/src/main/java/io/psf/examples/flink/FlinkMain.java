package io.psf.examples.flink;

import io.psf.runtime.PsCluster;
import io.psf.runtime.Settings;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.LocalStreamEnvironment;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ParameterTool;

/**
 * A Flink job that scores a stream of ratings with embeddings on the servers of psf, and trains them with the same
 * stream. It prints the mean squared error of each thousand scores, which falls.
 *
 * <p>In an IDE, without arguments, it runs in one JVM, with a cluster of its own. An IDE has to put dependencies of the
 * scope <i>provided</i> on the class path. On a cluster of Flink, beside a service of psf:
 *
 * <pre>
 * mvn -Pflink package -pl examples/flink -am -DskipTests
 * flink run -c io.psf.examples.flink.FlinkMain examples/flink/target/psf-examples-flink.jar \
 *     --PSF_SCHEDULER scheduler.example:7000
 * </pre>
 *
 * Each argument is a setting of psf. The job's tasks take the others from the environment of their task manager.
 * {@link Embeddings} connects a client by them.
 */
public final class FlinkMain {
    private static final long EVENTS = 20_000;
    private static final int MEAN_OF = 1000;
    /** Longer than a call's deadline, so that a call that is too late fails with psf's message. */
    private static final long TIMEOUT_SECONDS = 90;
    /** The number of calls that a subtask has in flight. More events wait, which slows the source. */
    private static final int CAPACITY = 100;

    private FlinkMain() {}

    /** Runs the job. The arguments are settings of psf, such as {@code --PSF_SCHEDULER host:port}. */
    public static void main(String[] arguments) throws Exception {
        StreamExecutionEnvironment flink = StreamExecutionEnvironment.getExecutionEnvironment();
        Map<String, String> options = ParameterTool.fromArgs(arguments).toMap();
        if (flink instanceof LocalStreamEnvironment && namesNoCluster(options)) {
            try (PsCluster cluster = PsCluster.builder().servers(2).tcp().start()) {
                String scheduler = "127.0.0.1:" + cluster.scheduler().port();
                run(flink, new Embeddings(Map.of("PSF_SCHEDULER", scheduler)));
            }
        } else {
            run(flink, new Embeddings(options));
        }
    }

    private static boolean namesNoCluster(Map<String, String> options) {
        Map<String, String> all = new HashMap<>(System.getenv());
        all.putAll(options);
        return !all.containsKey("PSF_CONFIG")
                && Settings.names("PSF_SCHEDULER").stream().noneMatch(all::containsKey);
    }

    private static void run(StreamExecutionEnvironment flink, Embeddings embeddings) throws Exception {
        DataStream<Event> events = flink.fromSequence(0, EVENTS - 1).map(FlinkMain::event);
        train(score(events, embeddings), embeddings)
                .map(error -> error * error)
                .countWindowAll(MEAN_OF)
                .reduce(Float::sum)
                .map(sum -> "mean squared error: " + sum / MEAN_OF)
                .print();
        flink.execute("psf-embeddings");
    }

    static DataStream<Scored> score(DataStream<Event> events, Embeddings embeddings) {
        return AsyncDataStream.unorderedWait(
                events, new Score(embeddings), TIMEOUT_SECONDS, TimeUnit.SECONDS, CAPACITY);
    }

    static DataStream<Float> train(DataStream<Scored> scored, Embeddings embeddings) {
        return AsyncDataStream.unorderedWait(
                scored, new Train(embeddings), TIMEOUT_SECONDS, TimeUnit.SECONDS, CAPACITY);
    }

    /** Draws an event: 50 users rate 40 items, each as its kind of users likes its kind of items. */
    private static Event event(long number) {
        long drawn = number * 0x9E3779B97F4A7C15L >>> 32;
        long user = drawn % 50;
        long item = drawn / 50 % 40;
        return new Event(user, item, user % 2 == item % 2 ? 1 : 0);
    }
}
