package io.psf.dashboard;

import io.psf.builtin.HotKey;
import io.psf.builtin.TensorSummary;
import io.psf.runtime.Guest;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/** The keys that calls name most often, of the largest tensors. The servers look for them while they are asked. */
final class HotKeys {
    private static final Duration INTERVAL = Duration.ofSeconds(2);
    private static final int TENSORS = 8;
    private static final int KEYS = 5;
    /** A key with a smaller share is no more than a guess. */
    private static final double LEAST = 0.02;

    private String newest = "[]";
    private long askedAt = System.nanoTime() - INTERVAL.toNanos();

    private record Found(String tensor, HotKey key) {}

    /** Returns the keys as an array of JSON. Asks the servers if the last answer is old; blocks then. */
    String json(Guest guest, List<TensorSummary> tensors) {
        long now = System.nanoTime();
        if (now - askedAt >= INTERVAL.toNanos()) {
            newest = ClusterStatus.array(
                    tensors.stream()
                            .sorted(Comparator.comparingLong(
                                    each -> -each.bytes().total()))
                            .limit(TENSORS)
                            .flatMap(each -> HotKey.of(guest, each.tensor().id(), KEYS).stream()
                                    .filter(key -> key.share() >= LEAST)
                                    .map(key -> new Found(each.tensor().id().name(), key)))
                            .toList(),
                    each -> "{\"tensor\":" + ClusterStatus.text(each.tensor()) + ",\"key\":\""
                            + each.key().key() + "\",\"share\":" + each.key().share() + "}");
            askedAt = now;
        }
        return newest;
    }
}
