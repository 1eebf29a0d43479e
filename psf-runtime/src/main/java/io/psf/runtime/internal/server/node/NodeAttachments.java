package io.psf.runtime.internal.server.node;

import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.Metered;
import io.psf.api.Metrics;
import io.psf.api.Names;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The state of functions on a node. Used on the node's lane. */
final class NodeAttachments {
    private static final Logger LOG = LoggerFactory.getLogger(NodeAttachments.class);

    private final Map<String, Object> attached = new HashMap<>();

    <T> T get(String key, Class<T> type, Supplier<? extends T> factory) {
        return type.cast(attached.computeIfAbsent(key, k -> factory.get()));
    }

    void membersChanged(List<Member> members) {
        for (Object each : List.copyOf(attached.values())) {
            if (each instanceof MemberListener listener) {
                listener.membersChanged(members);
            }
        }
    }

    void measure(Metrics to) {
        for (Object each : attached.values()) {
            if (each instanceof Metered metered) {
                metered.measure(to);
            }
        }
    }

    void close() {
        for (Object each : attached.values()) {
            if (each instanceof AutoCloseable closeable) {
                try {
                    closeable.close();
                } catch (Exception e) { // of a user's code
                    LOG.warn("closing {}", each.getClass().getName(), Names.printable(e));
                }
            }
        }
    }
}
