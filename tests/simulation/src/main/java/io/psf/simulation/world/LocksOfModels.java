package io.psf.simulation.world;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.Set;

/** The files that psf knows as locked by this process, which outlives its simulated nodes. */
final class LocksOfModels {
    private LocksOfModels() {}

    static void forget(Path folder) {
        try {
            Field here = Class.forName("io.psf.builtin.checkpoint.ModelLocks").getDeclaredField("HERE");
            here.setAccessible(true);
            Path real = folder.toRealPath();
            ((Set<?>) here.get(null)).removeIf(each -> each instanceof Path path && path.startsWith(real));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("locks of models: " + e, e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
