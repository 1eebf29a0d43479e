package io.psf.builtin.optimizer;

import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Loads a {@link KernelProvider}, once, when the first long span is stepped. */
final class KernelProviders {
    private static final Logger LOG = LoggerFactory.getLogger(KernelProvider.class);

    /** The provider; null if none works in this JVM. */
    static final @Nullable KernelProvider FOUND = find();

    private KernelProviders() {}

    private static @Nullable KernelProvider find() {
        try {
            Iterator<KernelProvider> all = ServiceLoader.load(
                            KernelProvider.class, KernelProvider.class.getClassLoader())
                    .iterator();
            if (all.hasNext()) {
                KernelProvider found = all.next();
                LOG.info("optimizers step with {}", found);
                return found;
            }
            LOG.debug("optimizers step through tiles: no other provider");
        } catch (ServiceConfigurationError | LinkageError e) {
            LOG.debug("optimizers step through tiles: {}", String.valueOf(e.getMessage())); // the usual case
        }
        return null;
    }
}
