package io.psf.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.File;
import java.util.Locale;

/** Whether Jazzer has a library for this platform; where it has none, its tests are left out. */
public final class Natives {
    private Natives() {}

    /** For {@code EnabledIf}. */
    public static boolean areThere() {
        String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String os = name.startsWith("mac") ? "macos" : name.startsWith("windows") ? "windows" : name;
        String arch = System.getProperty("os.arch").replace("amd64", "x86_64");
        String library = "/com/code_intelligence/jazzer/driver/jazzer_driver_" + os + "_" + arch + "/"
                + System.mapLibraryName("jazzer_driver");
        String[] musl = new File("/lib").list((lib, file) -> file.startsWith("ld-musl")); // they are built for glibc
        return FuzzTest.class.getResource(library) != null && (musl == null || musl.length == 0);
    }
}
