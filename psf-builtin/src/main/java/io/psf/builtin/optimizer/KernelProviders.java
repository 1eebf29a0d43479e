package io.psf.builtin.optimizer;

import io.psf.api.spi.ServiceClassPath;
import java.lang.module.ModuleFinder;
import java.util.Iterator;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads a {@link KernelProvider}, and warms up each formula, on a thread that starts when the formula steps its first
 * long span. The log says which kernels are used, and what vectors would need.
 */
final class KernelProviders {
    /** The environment variable that disables providers. */
    static final String SETTING = "PSF_VECTORS";

    /** The module that a JVM has only by a flag. */
    static final String MODULE = "jdk.incubator.vector";

    private static final Logger LOG = LoggerFactory.getLogger(KernelProvider.class);

    /** By the class of a kernel, true once its formula is warm and worth it. */
    private static final Map<Class<?>, Boolean> WARM = new ConcurrentHashMap<>();

    private KernelProviders() {}

    /** Returns the provider for a long span; null before the formula is warm, and if no provider steps it. */
    static @Nullable KernelProvider of(Kernel kernel) {
        Boolean warm = WARM.get(kernel.getClass());
        if (warm == null && WARM.putIfAbsent(kernel.getClass(), false) == null) {
            Thread thread = new Thread(() -> warmUp(kernel), "psf-warm-up");
            thread.setDaemon(true);
            thread.start();
        }
        return Boolean.TRUE.equals(warm) ? Provider.FOUND : null;
    }

    /** One formula at a time. */
    private static synchronized void warmUp(Kernel kernel) {
        KernelProvider provider = Provider.FOUND;
        if (provider == null) {
            return;
        }
        String name = kernel.getClass().getSimpleName();
        if (provider.warmUp(kernel)) {
            WARM.put(kernel.getClass(), true);
            LOG.info("optimizer {} steps with {}", name, provider);
        } else {
            LOG.debug("optimizer {} steps through tiles, not with {}", name, provider);
        }
    }

    /** Loads the provider when the first formula is warmed up. */
    private static final class Provider {
        /** Null if none works in this JVM. */
        static final @Nullable KernelProvider FOUND = find();

        private static @Nullable KernelProvider find() {
            if ("off".equalsIgnoreCase(System.getenv(SETTING))) {
                LOG.info("optimizers step through tiles: {}=off", SETTING);
                return null;
            }
            try {
                Iterator<KernelProvider> all = ServiceLoader.load(
                                KernelProvider.class, ServiceClassPath.of(KernelProviders.class))
                        .iterator();
                if (all.hasNext()) {
                    return all.next();
                }
                LOG.info("optimizers step through tiles: {}", reason("psf-vector is not on the class path", null));
            } catch (ServiceConfigurationError | LinkageError e) {
                LOG.info("optimizers step through tiles: {}", reason(null, e.getCause() == null ? e : e.getCause()));
            }
            return null;
        }

        /** Returns the reason why vectors are not used. Of several reasons it is a reason that a user can remove. */
        private static String reason(@Nullable String noJar, @Nullable Throwable failure) {
            if (ModuleFinder.ofSystem().find(MODULE).isEmpty()) {
                return "this JDK has no module " + MODULE;
            }
            String noFlag = ModuleLayer.boot().findModule(MODULE).isPresent()
                    ? null
                    : "the JVM was started without --add-modules=" + MODULE;
            if (noFlag == null) {
                return noJar == null ? String.valueOf(failure) : noJar;
            }
            return noJar == null ? noFlag : noFlag + ", and " + noJar;
        }
    }
}
