package io.psf.api.spi;

/**
 * The class loader that psf finds services by: one rule for handlers, kinds of shards, stores, transports and all
 * others.
 */
public final class ServiceClassPath {
    private ServiceClassPath() {}

    /**
     * Returns the class loader that a class of psf finds services by. It is the context class loader of the current
     * thread, if that finds the same class: in Spark, in a web container and in {@code ./psf} it has the jars of the
     * program. Otherwise it is the class's own loader: on a thread of a common pool or of other software the context
     * class loader may be none, may not have psf, or may have a psf of its own, whose services are of other types.
     *
     * @param seeker the class that asks for services
     */
    public static ClassLoader of(Class<?> seeker) {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return context != null && finds(context, seeker) ? context : seeker.getClassLoader();
    }

    private static boolean finds(ClassLoader loader, Class<?> type) {
        try {
            return Class.forName(type.getName(), false, loader) == type;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }
}
