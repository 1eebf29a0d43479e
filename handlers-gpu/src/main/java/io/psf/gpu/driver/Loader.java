package io.psf.gpu.driver;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/** Loads JCuda's library and the driver. */
final class Loader {
    static final int OUT_OF_MEMORY = CUresult.CUDA_ERROR_OUT_OF_MEMORY;

    private static final String TEMPORARY = "java.io.tmpdir";

    private Loader() {}

    /**
     * Loads the driver and initializes it.
     *
     * @return the reason why it cannot be used; empty if it can
     * @throws LinkageError if a library or a class of JCuda is missing
     */
    static Optional<String> load() {
        try {
            loadLibrary();
        } catch (IOException e) {
            return Optional.of("the folder for temporary files cannot be written: " + e.getMessage());
        }
        int result = JCudaDriver.cuInit(0);
        if (result == CUresult.CUDA_ERROR_NO_DEVICE) {
            return Optional.of("the CUDA driver has no device");
        }
        if (result != 0) {
            return Optional.of("the CUDA driver does not start: " + text(result));
        }
        return count() == 0 ? Optional.of("the CUDA driver has no device") : Optional.empty();
    }

    /**
     * Initializes JCuda. It unpacks its library to a file of a fixed name in the folder for temporary files, and loads
     * that: with a folder of its own, processes that start together, or are other users', do not load each other's
     * file.
     */
    private static void loadLibrary() throws IOException {
        String before = System.getProperty(TEMPORARY);
        Path own = Files.createTempDirectory("psf-jcuda-");
        System.setProperty(TEMPORARY, own.toString());
        try {
            JCudaDriver.setExceptionsEnabled(false); // initializes the class
        } finally {
            System.setProperty(TEMPORARY, before);
            delete(own); // the library stays mapped
        }
    }

    /** Deletes JCuda's files, and the folder unless another thread has put a file of its own there. */
    private static void delete(Path folder) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*JCuda*")) {
            for (Path file : files) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException e) {
            folder.toFile().deleteOnExit();
        }
    }

    /** Returns the number of devices. */
    static int count() {
        int[] count = new int[1];
        Cuda.check(JCudaDriver.cuDeviceGetCount(count), "number of devices");
        return count[0];
    }

    /**
     * Returns the version of CUDA that the driver supports: 1000 times the major part, plus 10 times the minor part.
     */
    static int version() {
        int[] version = new int[1];
        Cuda.check(JCudaDriver.cuDriverGetVersion(version), "version of the driver");
        return version[0];
    }

    /** True for an error after which the driver fails every call of the process on the device. */
    static boolean isFinal(int result) {
        return switch (result) {
            case CUresult.CUDA_ERROR_ECC_UNCORRECTABLE,
                    CUresult.CUDA_ERROR_ILLEGAL_ADDRESS,
                    CUresult.CUDA_ERROR_LAUNCH_TIMEOUT,
                    CUresult.CUDA_ERROR_CONTEXT_IS_DESTROYED,
                    CUresult.CUDA_ERROR_ASSERT,
                    CUresult.CUDA_ERROR_HARDWARE_STACK_ERROR,
                    CUresult.CUDA_ERROR_ILLEGAL_INSTRUCTION,
                    CUresult.CUDA_ERROR_MISALIGNED_ADDRESS,
                    CUresult.CUDA_ERROR_INVALID_ADDRESS_SPACE,
                    CUresult.CUDA_ERROR_INVALID_PC,
                    CUresult.CUDA_ERROR_LAUNCH_FAILED -> true;
            default -> false;
        };
    }

    static String text(int result) {
        String[] sentence = new String[1];
        JCudaDriver.cuGetErrorString(result, sentence);
        return CUresult.stringFor(result) + (sentence[0] == null ? "" : ", " + sentence[0]);
    }
}
