package io.psf.acceptance;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The arrows between the rooms. */
@AnalyzeClasses(packages = "io.psf", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule THE_API_SEES_NOTHING_BEYOND_THE_JDK = classes()
            .that()
            .resideInAPackage("io.psf.api..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "io.psf.api..", "org.jspecify.annotations");

    @ArchTest
    static final ArchRule THE_API_DOES_NOT_SEE_THE_RUNTIME = noClasses()
            .that()
            .resideInAPackage("io.psf.api..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.psf.runtime..", "io.psf.builtin..", "io.psf.processor..");

    @ArchTest
    static final ArchRule THE_TESTKIT_SEES_THE_API_ALONE = classes()
            .that()
            .resideInAPackage("io.psf.testkit..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "io.psf.api..", "io.psf.testkit..", "org.jspecify.annotations");

    @ArchTest
    static final ArchRule NETTY_IS_SEEN_IN_ITS_ROOM_ALONE = noClasses()
            .that()
            .resideInAPackage("io.psf..")
            .and()
            .resideOutsideOfPackage("io.psf.runtime.transport.netty..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.netty..");

    @ArchTest
    static final ArchRule CHRONICLE_IS_SEEN_IN_ITS_ROOM_ALONE = noClasses()
            .that()
            .resideInAPackage("io.psf..")
            .and()
            .resideOutsideOfPackage("io.psf.runtime.store.chronicle..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("net.openhft..");

    @ArchTest
    static final ArchRule FUNCTIONS_AND_HANDLERS_SEE_THE_API_ALONE = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.psf.builtin.tensor..",
                    "io.psf.builtin.dense..",
                    "io.psf.builtin.sparse..",
                    "io.psf.builtin.push..",
                    "io.psf.builtin.ssp..",
                    "io.psf.builtin.partial..",
                    "io.psf.builtin.cache..",
                    "io.psf.builtin.checkpoint..",
                    "io.psf.builtin.optimizer..",
                    "io.psf.builtin.initializer..",
                    "io.psf.examples.functions..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.psf.runtime..");

    @ArchTest
    static final ArchRule THE_RUNTIME_DOES_NOT_SEE_THE_BUILTINS = noClasses()
            .that()
            .resideInAPackage("io.psf.runtime..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.psf.builtin..");

    @ArchTest
    static final ArchRule CALLS_DO_NOT_SEE_THE_ROOMS_ABOVE = noClasses()
            .that()
            .resideInAPackage("io.psf.runtime.call..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.psf.runtime.transport.netty..",
                    "io.psf.runtime.server..",
                    "io.psf.runtime.cluster..",
                    "io.psf.runtime.store..",
                    "io.psf.runtime");

    @ArchTest
    static final ArchRule THE_ROOMS_OF_THE_RUNTIME_HAVE_NO_CYCLES =
            slices().matching("io.psf.runtime.(*)..").should().beFreeOfCycles();
}
