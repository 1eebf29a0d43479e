package io.psf.spark;

import java.io.Serial;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.WeakHashMap;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster of an application without the plugin. Jobs take the place of the plugin's messages: the tasks of a job
 * start the servers of their executors. Settings are local properties, which later jobs of the thread and its children
 * inherit.
 */
final class NotebookCluster {
    private static final Logger LOG = LoggerFactory.getLogger(NotebookCluster.class);
    /** For how long a task that looks for its executor holds its core, so that the others run elsewhere. */
    private static final Duration HOLD = Duration.ofMillis(100);

    private static final Map<SparkContext, NotebookCluster> RUNNING = new WeakHashMap<>();

    private final JavaSparkContext context;
    private final DriverNode node;
    private final int servers;

    private NotebookCluster(SparkContext context, DriverNode node, int servers) {
        this.context = new JavaSparkContext(context);
        this.node = node;
        this.servers = servers;
    }

    static synchronized void start(SparkContext context) {
        NotebookCluster cluster = RUNNING.get(context);
        if (cluster == null && !hasPlugin(context)) {
            cluster = new NotebookCluster(
                    context,
                    DriverNode.start(context),
                    new SparkSettings(context.getConf()).servers(context.isLocal()));
            RUNNING.put(context, cluster);
            cluster.listen();
        }
        if (cluster != null) {
            cluster.tellJobs();
            cluster.startServers();
        }
    }

    private static boolean hasPlugin(SparkContext context) {
        return List.of(context.getConf().get("spark.plugins", "").split(",", -1))
                .contains(PsfPlugin.class.getName());
    }

    private void tellJobs() {
        node.settings().forEach((name, text) -> context.setLocalProperty(ClusterSettings.PROPERTY + name, text));
    }

    private void listen() {
        context.sc().addSparkListener(new SparkListener() {
            @Override
            public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
                Thread thread = new Thread(
                        () -> {
                            tellJobs();
                            startServers();
                        },
                        "psf-servers");
                thread.setDaemon(true);
                thread.start();
            }

            @Override
            public void onApplicationEnd(SparkListenerApplicationEnd end) {
                HostedServers.close();
            }
        });
    }

    /** Blocks until executors run all servers. */
    private synchronized void startServers() {
        if (node.isOfOthers()) {
            return;
        }
        Set<String> chosen = new HashSet<>();
        Set<String> serving = new HashSet<>();
        int tasks = Math.max(2 * context.defaultParallelism(), 2 * servers);
        while (serving.size() < (context.isLocal() ? 1 : servers)
                && !context.sc().isStopped()) {
            context.setJobDescription("psf: starts servers in executors");
            List<String> found;
            try {
                found = context.parallelize(Collections.nCopies(tasks, 0), tasks)
                        .mapPartitions(new StartServers(Set.copyOf(chosen)))
                        .collect();
            } finally {
                context.setJobDescription(null);
            }
            serving.retainAll(found);
            for (String executor : new TreeSet<>(found)) {
                if (chosen.contains(executor)) {
                    serving.add(executor);
                } else if (node.seats().take(new Seats.Offer(executor, 0))) {
                    chosen.add(executor);
                }
            }
        }
        LOG.info("psf: servers in the executors {}", new TreeSet<>(serving));
    }

    /**
     * Starts a server in the executor of each task that was chosen. Returns the executor's id.
     *
     * @param chosen the ids of the executors that run a server
     */
    private record StartServers(Set<String> chosen) implements FlatMapFunction<Iterator<Integer>, String> {
        @Serial
        private static final long serialVersionUID = 1;

        @Override
        public Iterator<String> call(Iterator<Integer> ignored) throws InterruptedException {
            String executor = SparkEnv.get().executorId();
            if (chosen.contains(executor)) {
                HostedServers.start(
                        NodeClient.settings(),
                        SparkEnv.get().blockManager().blockManagerId().host());
            }
            Thread.sleep(HOLD.toMillis());
            return List.of(executor).iterator();
        }
    }

    /** The servers of this process that jobs have started. */
    private static final class HostedServers {
        private static final List<ExecutorServer> SERVERS = new ArrayList<>();

        private HostedServers() {}

        static synchronized void start(ClusterSettings settings, String host) {
            while (SERVERS.size() < settings.serversPerExecutor()) {
                SERVERS.add(ExecutorServer.start(settings, host, server -> {}, () -> true));
            }
        }

        static synchronized void close() {
            SERVERS.forEach(ExecutorServer::close);
            SERVERS.clear();
        }
    }
}
