package io.psf.gpu.driver;

import io.psf.api.PsException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Reads PTX, or CUDA C that is compiled to it, from the class path. */
public final class Ptx {
    /** The compiled resources, by class loader and name. */
    private static final Map<String, String> COMPILED = new ConcurrentHashMap<>();

    private Ptx() {}

    /**
     * Returns the PTX of a resource. CUDA C, a resource whose name ends with {@code .cu}, is compiled by {@link Nvcc},
     * once.
     *
     * @param beside the class whose package and loader have the resource
     * @param name the resource's name, relative to the class unless it begins with a slash
     * @throws PsException with {@code CONFIGURATION} if there is no such resource, or if CUDA C cannot be compiled
     */
    public static String resource(Class<?> beside, String name) {
        String text = text(beside, name);
        return name.endsWith(".cu") ? COMPILED.computeIfAbsent(text, source -> Nvcc.compile(source, name)) : text;
    }

    private static String text(Class<?> beside, String name) {
        try (InputStream in = beside.getResourceAsStream(name)) {
            if (in == null) {
                throw new PsException(
                        PsException.Code.CONFIGURATION,
                        "resource \"" + name + "\" of " + beside.getName()
                                + ": not there (expected: PTX or CUDA C in the" + " jar of the handler)");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new PsException(PsException.Code.STORAGE, "resource \"" + name + "\": " + e.getMessage(), e);
        }
    }
}
