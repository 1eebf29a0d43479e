package io.psf.gpu.shard;

import io.psf.gpu.driver.Device;
import io.psf.gpu.driver.Module;
import io.psf.gpu.driver.Ptx;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * psf's own kernels: PTX in its jar, and what the build has assembled of it for some devices, if the machine of the
 * build had an assembler.
 */
record KernelSource(String name, String text) {
    private static final String FOLDER = "/io/psf/gpu/";

    private static final class Builtin {
        static final KernelSource SOURCE =
                new KernelSource("psf.ptx", Ptx.resource(KernelSource.class, FOLDER + "psf.ptx"));
    }

    static KernelSource builtin() {
        return Builtin.SOURCE;
    }

    Module load(Device device) {
        return device.module(text, name, () -> assembled(device.capability()));
    }

    /**
     * Returns the name of the resource for devices of a compute capability: they run what was assembled for the first
     * one of the same major part.
     */
    String resource(int capability) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return FOLDER + "psf-" + HexFormat.of().formatHex(hash, 0, 8) + "-sm_" + capability / 10 + "0.cubin";
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    private byte @Nullable [] assembled(int capability) {
        try (InputStream in = KernelSource.class.getResourceAsStream(resource(capability))) {
            return in == null ? null : in.readAllBytes();
        } catch (IOException e) { // the PTX serves as well
            return null;
        }
    }
}
