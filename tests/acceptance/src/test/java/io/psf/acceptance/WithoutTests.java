package io.psf.acceptance;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;

/** The classes of the modules, without those of tests, also not those in jars of tests. */
public final class WithoutTests implements ImportOption {
    /** Created by ArchUnit. */
    public WithoutTests() {}

    @Override
    public boolean includes(Location location) {
        return Predefined.DO_NOT_INCLUDE_TESTS.includes(location) && !location.contains("-tests.jar");
    }
}
