package io.psf.spark;

import io.psf.api.CallListener;
import io.psf.api.PsException;
import io.psf.runtime.Client;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.TaskContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one client of this process, which is connected when it is used first, and again if the cluster has lost it, for
 * example since the process was stopped for longer than the heartbeat's limit. Thread-safe.
 */
final class NodeClient {
    private static final Logger LOG = LoggerFactory.getLogger(NodeClient.class);

    private static @Nullable ClusterSettings settings;
    private static volatile @Nullable Client client;
    /** Why an executor runs no server, as the first one has said since a client has connected; empty if none has. */
    private static volatile String missing = "";

    /** Listens to each client; null for none. */
    private static @Nullable CallListener listener;

    private NodeClient() {}

    /** Names the cluster of this process. A client of an earlier one is closed. */
    static synchronized void use(ClusterSettings cluster) {
        if (!cluster.equals(settings)) {
            close();
            settings = cluster;
        }
    }

    /** Counts the calls of the clients from now on. */
    static synchronized void listen(CallListener calls) {
        listener = calls;
        Client known = client;
        if (known != null) {
            known.listen(calls);
        }
    }

    /** Says why an executor runs no server: once in the log, and where the cluster is not complete in time. */
    static void failed(Seats.Failure failure) {
        if (missing.isEmpty()) {
            missing = "no server in executor " + failure.executor() + ": " + failure.why();
            LOG.warn("psf: {}", missing);
        }
    }

    /** Returns the settings of the cluster of this process. */
    static synchronized ClusterSettings settings() {
        ClusterSettings known = settings;
        if (known == null) {
            known = ofTask();
            settings = known;
        }
        return known;
    }

    /** Returns the settings that the driver has given the tasks of its jobs, after {@link PsSpark#start}. */
    private static ClusterSettings ofTask() {
        TaskContext task = TaskContext.get();
        Map<String, String> found = new HashMap<>();
        if (task != null) {
            for (String name : ClusterSettings.NAMES) {
                String text = task.getLocalProperty(ClusterSettings.PROPERTY + name);
                if (text != null) {
                    found.put(name, text);
                }
            }
        }
        if (found.isEmpty()) {
            throw new IllegalStateException("no cluster of psf in this process (expected: spark.plugins="
                    + ClusterSettings.PLUGIN + ", or PsSpark.start(spark) in the driver, before the job)");
        }
        return ClusterSettings.of(found);
    }

    /** Returns the client. Blocks until the cluster is complete. */
    static Client get() {
        Client known = client;
        return known != null && !known.isLost() ? known : connect();
    }

    private static synchronized Client connect() {
        Client known = client;
        if (known != null && known.isLost()) {
            LOG.warn("psf: the cluster has lost the client of this process; another one is connected");
            client = null;
            close(known);
            known = null;
        }
        if (known == null) {
            known = connected(settings());
            CallListener calls = listener;
            if (calls != null) {
                known.listen(calls);
            }
            client = known;
        }
        return known;
    }

    private static Client connected(ClusterSettings cluster) {
        try {
            Client connected = Client.connect(cluster.client());
            missing = "";
            return connected;
        } catch (PsException e) {
            if (missing.isEmpty()) {
                throw e;
            }
            throw new PsException(e.code(), e.detail() + "; " + missing, e);
        }
    }

    static synchronized void close() {
        Client known = client;
        client = null;
        missing = "";
        settings = null;
        listener = null;
        if (known != null) {
            close(known);
        }
    }

    private static void close(Client known) {
        try {
            known.close();
        } catch (PsException e) {
            // A lost server, or the end of the cluster: nobody waits for this client's calls any more.
        }
    }
}
