package io.psf.simulation.world;

import java.lang.reflect.Field;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** The files that psf knows as locked by this process, which outlives its simulated nodes. */
public final class LocksOfProcess {
    private static final List<Set<?>> ALL = List.of(
            all("io.psf.api.spi.FolderStore", "LOCKED"), all("io.psf.runtime.internal.cluster.JournalFile", "IN_USE"));

    private LocksOfProcess() {}

    private static Set<?> all(String owner, String name) {
        try {
            Field field = Class.forName(owner).getDeclaredField(name);
            field.setAccessible(true);
            return (Set<?>) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("locks of this process: " + e, e);
        }
    }

    /** Forgets the files of a disk. */
    public static void forget(FileSystem of) {
        ALL.forEach(locks -> locks.removeIf(each -> each instanceof Path path && path.getFileSystem() == of));
    }
}
