package io.psf.chronicle;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The system's {@code madvise}. It is called through {@code java.lang.foreign}, which JDK 22 and later have; psf is
 * compiled for JDK 17, and so finds the methods by their names.
 */
final class Advice {
    /** The value of Linux, macOS and the BSDs. */
    private static final int RANDOM = 1;

    private static final @Nullable MethodHandle MADVISE = madvise();

    private Advice() {}

    /**
     * Advises the system that pages are accessed at random: it reads the page of an access alone, and not those around
     * it.
     *
     * @param address the address of the first page
     * @param bytes the size of the pages
     * @return true if the system has taken the advice; false on an earlier JDK and on another system
     */
    static boolean random(long address, long bytes) {
        try {
            return MADVISE != null && (int) MADVISE.invokeExact(address, bytes, RANDOM) == 0;
        } catch (Throwable e) {
            throw new LinkageError("madvise", e);
        }
    }

    /** Returns the function with the parameters address, size and advice; null if the JVM cannot call it. */
    private static @Nullable MethodHandle madvise() {
        try {
            Class<?> linker = Class.forName("java.lang.foreign.Linker");
            Class<?> layout = Class.forName("java.lang.foreign.MemoryLayout");
            Class<?> values = Class.forName("java.lang.foreign.ValueLayout");
            Class<?> descriptor = Class.forName("java.lang.foreign.FunctionDescriptor");
            Class<?> option = Class.forName("java.lang.foreign.Linker$Option");
            Object ofInt = values.getField("JAVA_INT").get(null);
            Object ofLong = values.getField("JAVA_LONG").get(null);
            Object parameters = Array.newInstance(layout, 3);
            Array.set(parameters, 0, ofLong); // an address is passed as a number of 64 bits is
            Array.set(parameters, 1, ofLong);
            Array.set(parameters, 2, ofInt);
            Object signature =
                    descriptor.getMethod("of", layout, parameters.getClass()).invoke(null, ofInt, parameters);
            Object here = linker.getMethod("nativeLinker").invoke(null);
            Object lookup = linker.getMethod("defaultLookup").invoke(here);
            Optional<?> symbol = (Optional<?>) Class.forName("java.lang.foreign.SymbolLookup")
                    .getMethod("find", String.class)
                    .invoke(lookup, "madvise");
            if (symbol.isEmpty()) {
                return null;
            }
            Object options = Array.newInstance(option, 0);
            return (MethodHandle) linker.getMethod(
                            "downcallHandle",
                            Class.forName("java.lang.foreign.MemorySegment"),
                            descriptor,
                            options.getClass())
                    .invoke(here, symbol.get(), signature, options);
        } catch (ClassNotFoundException | NoSuchMethodException | NoSuchFieldException e) {
            return null; // an earlier JDK
        } catch (IllegalAccessException | InvocationTargetException e) {
            return null; // a JVM that is started without native access, or with the methods as a preview
        }
    }
}
