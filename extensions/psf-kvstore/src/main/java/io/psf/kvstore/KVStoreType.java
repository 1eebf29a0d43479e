package io.psf.kvstore;

import io.psf.builtin.Updates;
import java.util.Arrays;
import java.util.List;

/** The types of a {@link KVStore}, by their names in MXNet. */
@SuppressWarnings("ImmutableEnumChecker") // a list of List.of
enum KVStoreType {
    /** Synchronous rounds. */
    SYNC(Updates.SUM, "dist_sync", "dist", "dist_device_sync", "dist_sync_device"),
    /** Each push is applied on arrival. */
    ASYNC(Updates.EACH, "dist_async", "dist_device_async", "dist_async_device");

    private final Updates updates;
    private final List<String> names;

    KVStoreType(Updates updates, String... names) {
        this.updates = updates;
        this.names = List.of(names);
    }

    /**
     * Returns the type of a name.
     *
     * @throws IllegalArgumentException listing the names, if there is none
     */
    static KVStoreType of(String name) {
        return Arrays.stream(values())
                .filter(type -> type.names.contains(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("type of a KVStore: \"" + name + "\" (expected: one of "
                        + Arrays.stream(values())
                                .flatMap(type -> type.names.stream())
                                .toList() + ")"));
    }

    /** Returns how the pushes to a tensor of such a store combine. */
    Updates updates() {
        return updates;
    }

    /** Returns the name that MXNet's documents use. */
    @Override
    public String toString() {
        return names.get(0);
    }
}
