package io.psf.acceptance;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.constructors;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.psf.api.spi.ServiceClassPath;
import io.psf.runtime.PsCluster;
import io.psf.runtime.spi.transport.HostMemory;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/** The allowed dependencies between packages. {@code docs/architecture.md} draws them. */
@AnalyzeClasses(packages = "io.psf", importOptions = WithoutTests.class)
final class ArchitectureTest {
    private static final String API = "io.psf.api..";
    private static final String ROOT = "io.psf.runtime";
    private static final String TRANSPORT = "io.psf.runtime.spi.transport";
    private static final String MEMORY = "io.psf.runtime.internal.transport.memory";
    private static final String NET = "io.psf.runtime.internal.transport.net";
    private static final String SHM = "io.psf.runtime.internal.transport.shm";
    private static final String TLS = "io.psf.runtime.internal.transport.tls";
    private static final String NETTY = "io.psf.netty";
    private static final String CALL = "io.psf.runtime.internal.call";
    private static final String SERVER = "io.psf.runtime.internal.server";
    private static final String NODE = "io.psf.runtime.internal.server.node";
    private static final String INVOCATION = "io.psf.runtime.internal.server.invocation";
    private static final String SESSION = "io.psf.runtime.internal.server.session";
    private static final String LANE = "io.psf.runtime.internal.server.lane";
    private static final String SHARD = "io.psf.runtime.internal.server.shard";
    private static final String SHARD_SPI = "io.psf.runtime.spi.shard";
    private static final String HANDLER = "io.psf.runtime.internal.server.handler";
    private static final String CLUSTER = "io.psf.runtime.internal.cluster";
    private static final String STORE = "io.psf.runtime.spi.store";
    private static final String STORES = "io.psf.runtime.internal.store";
    private static final String LOG = "io.psf.runtime.internal.log";
    private static final String CHRONICLE = "io.psf.chronicle";

    private static final String GPU = "io.psf.gpu";
    private static final String GPU_DRIVER = "io.psf.gpu.driver";
    private static final String GPU_SHARD = "io.psf.gpu.shard";

    // The api.

    @ArchTest
    static final ArchRule THE_API_SEES_NOTHING_BEYOND_THE_JDK = classes()
            .that()
            .resideInAPackage(API)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", API, "org.jspecify.annotations");

    @ArchTest
    static final ArchRule ARRAYS_AND_LAYOUTS_SEE_NO_OTHER_PACKAGE = noClasses()
            .that()
            .resideInAnyPackage("io.psf.api.array", "io.psf.api.layout")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.psf.api", "io.psf.api.spi");

    @ArchTest
    static final ArchRule WHAT_USERS_SEE_DOES_NOT_SEE_THE_SPI = noClasses()
            .that()
            .resideInAPackage("io.psf.api")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.psf.api.spi");

    /** A cluster in one process passes the context class loader on to its threads; snippets of the shell extend it. */
    @ArchTest
    static final ArchRule ONE_RULE_SAYS_BY_WHICH_CLASS_LOADER_SERVICES_ARE_FOUND = noClasses()
            .that()
            .resideInAPackage("io.psf..")
            .and(not(belongToAnyOf(ServiceClassPath.class, PsCluster.class)))
            .and()
            .doNotHaveFullyQualifiedName("io.psf.cli.ShellExecution")
            .should()
            .callMethod(Thread.class, "getContextClassLoader")
            .orShould()
            .callMethod(ServiceLoader.class, "load", Class.class);

    @ArchTest
    static final ArchRule THE_PACKAGES_OF_THE_API_HAVE_NO_CYCLES =
            slices().matching("io.psf.api.(*)..").should().beFreeOfCycles();

    // The runtime, from the bottom.

    @ArchTest
    static final ArchRule EVERY_PACKAGE_OF_THE_RUNTIME_HAS_A_RULE = classes()
            .that()
            .resideInAPackage("io.psf.runtime..")
            .should()
            .resideInAnyPackage(
                    ROOT,
                    TRANSPORT,
                    MEMORY,
                    NET,
                    SHM,
                    TLS,
                    CALL,
                    SERVER,
                    NODE,
                    INVOCATION,
                    SESSION,
                    LANE,
                    SHARD,
                    SHARD_SPI,
                    HANDLER,
                    CLUSTER,
                    STORE,
                    STORES,
                    LOG);

    @ArchTest
    static final ArchRule TRANSPORT_SEES_THE_API_ALONE = only(TRANSPORT, API);

    @ArchTest
    static final ArchRule MEMORY_SEES_TRANSPORT_ALONE = only(MEMORY, API, TRANSPORT);

    @ArchTest
    static final ArchRule SHM_SEES_THE_API_ALONE = only(SHM, API);

    @ArchTest
    static final ArchRule NET_SEES_TRANSPORT_SHM_AND_LOG_ALONE = only(NET, API, TRANSPORT, SHM, LOG);

    @ArchTest
    static final ArchRule TLS_SEES_TRANSPORT_AND_LOG_ALONE = only(TLS, API, TRANSPORT, LOG);

    @ArchTest
    static final ArchRule NETTY_SEES_TRANSPORT_ALONE = only(NETTY, API, TRANSPORT);

    @ArchTest
    static final ArchRule STORE_SEES_THE_API_ALONE = only(STORE, API);

    @ArchTest
    static final ArchRule STORES_SEE_STORE_ALONE = only(STORES, API, STORE);

    @ArchTest
    static final ArchRule LOG_SEES_NOTHING = only(LOG);

    @ArchTest
    static final ArchRule CHRONICLE_SEES_STORE_ALONE = only(CHRONICLE, API, STORE);

    @ArchTest
    static final ArchRule CALL_SEES_TRANSPORT_AND_LOG_ALONE = only(CALL, API, TRANSPORT, LOG);

    @ArchTest
    static final ArchRule LANE_SEES_TRANSPORT_ALONE = only(LANE, API, TRANSPORT);

    @ArchTest
    static final ArchRule SESSION_SEES_TRANSPORT_AND_LANES = only(SESSION, API, TRANSPORT, LANE);

    @ArchTest
    static final ArchRule INVOCATION_SEES_NEITHER_NODES_NOR_SHARDS =
            only(INVOCATION, API, TRANSPORT, CALL, SESSION, LANE);

    @ArchTest
    static final ArchRule SHARD_SEES_STORE_AND_HOST_MEMORY_ALONE = noClasses()
            .that()
            .resideInAnyPackage(SHARD, SHARD_SPI)
            .should()
            .dependOnClassesThat(resideInAPackage("io.psf..")
                    .and(not(resideInAnyPackage(SHARD, SHARD_SPI, API, STORE)))
                    .and(not(type(HostMemory.class))));

    @ArchTest
    static final ArchRule THE_SPI_DOES_NOT_SEE_WHAT_IS_INTERNAL = noClasses()
            .that()
            .resideInAPackage("io.psf.runtime.spi..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(ROOT, "io.psf.runtime.internal..");

    @ArchTest
    static final ArchRule HANDLER_SEES_THE_API_ALONE = only(HANDLER, API);

    @ArchTest
    static final ArchRule NODE_SEES_INVOCATIONS_SHARDS_AND_WHAT_THEY_SEE =
            only(NODE, API, TRANSPORT, INVOCATION, SESSION, LANE, SHARD, SHARD_SPI, STORE);

    @ArchTest
    static final ArchRule SERVER_SEES_TRANSPORT_AND_ITS_OWN_PACKAGES =
            only(SERVER, API, TRANSPORT, NODE, INVOCATION, SESSION, LANE, HANDLER);

    @ArchTest
    static final ArchRule CLUSTER_SEES_CALL_AND_SERVER =
            only(CLUSTER, API, TRANSPORT, CALL, SERVER, NODE, SESSION, HANDLER);

    @ArchTest
    static final ArchRule THE_RUNTIME_SEES_NO_OTHER_MODULE_BUT_THE_API = only("io.psf.runtime..", API);

    @ArchTest
    static final ArchRule THE_PACKAGES_OF_THE_RUNTIME_HAVE_NO_CYCLES =
            slices().matching("io.psf.runtime.internal.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule THE_PARTS_OF_THE_RUNTIME_HAVE_NO_CYCLES =
            slices().matching("io.psf.runtime.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule THE_PACKAGES_OF_TRANSPORT_HAVE_NO_CYCLES = slices().matching(
                    "io.psf.runtime.internal.transport.(*)..")
            .should()
            .beFreeOfCycles();

    @ArchTest
    static final ArchRule THE_PACKAGES_OF_SERVER_HAVE_NO_CYCLES =
            slices().matching("io.psf.runtime.internal.server.(*)..").should().beFreeOfCycles();

    // Libraries.

    @ArchTest
    static final ArchRule NETTY_IS_SEEN_IN_ITS_PACKAGE_ALONE = noClasses()
            .that()
            .resideInAPackage("io.psf..")
            .and()
            .resideOutsideOfPackage(NETTY)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.netty..");

    @ArchTest
    static final ArchRule CHRONICLE_IS_SEEN_IN_ITS_PACKAGE_ALONE = noClasses()
            .that()
            .resideInAPackage("io.psf..")
            .and()
            .resideOutsideOfPackage(CHRONICLE)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("net.openhft..");

    /** Arguments that belong together are a record; many that do not are a class that does too much. */
    @ArchTest
    static final ArchRule CONSTRUCTORS_OF_THE_RUNTIME_HAVE_AT_MOST_SIX_PARAMETERS = constructors()
            .that()
            .areDeclaredInClassesThat()
            .resideInAPackage("io.psf.runtime..")
            .should(new ArchCondition<>("have at most six parameters") {
                @Override
                public void check(JavaConstructor constructor, ConditionEvents events) {
                    int count = constructor.getParameters().size();
                    events.add(new SimpleConditionEvent(
                            constructor, count <= 6, constructor.getFullName() + " has " + count + " parameters"));
                }
            });

    // The modules beside and above the runtime.

    @ArchTest
    static final ArchRule FUNCTIONS_AND_HANDLERS_SEE_THE_API_ALONE = only("io.psf.builtin.*..", API);

    @ArchTest
    static final ArchRule THE_PACKAGES_OF_BUILTIN_HAVE_NO_CYCLES =
            slices().matching("io.psf.builtin.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule WHAT_IS_INTERNAL_TO_BUILTIN_IS_SEEN_BY_BUILTIN_ALONE = noClasses()
            .that()
            .resideInAPackage("io.psf..")
            .and()
            .resideOutsideOfPackage("io.psf.builtin..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.psf.builtin.internal..");

    @ArchTest
    static final ArchRule FUNCTIONS_OF_THE_EXAMPLES_SEE_THE_API_ALONE = noClasses()
            .that()
            .resideInAPackage("io.psf.examples.functions..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.psf.runtime..");

    @ArchTest
    static final ArchRule BUILTIN_SEES_THE_API_ALONE = only("io.psf.builtin..", API);

    @ArchTest
    static final ArchRule KVSTORE_AND_INTERCHANGE_SEE_BUILTIN_ALONE = noClasses()
            .that()
            .resideInAnyPackage("io.psf.kvstore", "io.psf.interchange")
            .should()
            .dependOnClassesThat(resideInAPackage("io.psf..")
                    .and(not(resideInAnyPackage("io.psf.kvstore", "io.psf.interchange", API, "io.psf.builtin.."))));

    @ArchTest
    static final ArchRule VECTOR_SEES_THE_OPTIMIZERS_ALONE = only("io.psf.vector..", API, "io.psf.builtin.optimizer");

    @ArchTest
    static final ArchRule THE_CLI_SEES_THE_ROOTS_OF_RUNTIME_AND_BUILTIN_EXPORTS_LISTS_HANDLERS_AND_ISSUES_CERTIFICATES =
            only("io.psf.cli..", API, ROOT, HANDLER, TLS, "io.psf.builtin", "io.psf.interchange", "io.psf.dashboard");

    @ArchTest
    static final ArchRule THE_DASHBOARD_SEES_THE_ROOTS_OF_RUNTIME_AND_BUILTIN =
            only("io.psf.dashboard..", API, ROOT, "io.psf.builtin");

    @ArchTest
    static final ArchRule THE_TESTKIT_SEES_THE_NODES_OF_A_SERVER_BUT_NO_CLUSTER_AND_NO_CHANNEL = classes()
            .that()
            .resideInAPackage("io.psf.testkit..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    API,
                    "io.psf.testkit..",
                    NODE,
                    INVOCATION,
                    SESSION,
                    LANE,
                    SHARD,
                    TRANSPORT,
                    HANDLER,
                    STORE,
                    STORES,
                    "org.jspecify.annotations");

    // Shards on devices.

    @ArchTest
    static final ArchRule DEVICE_SHARDS_SEE_THE_API_ALONE = only(GPU, API);

    @ArchTest
    static final ArchRule THE_DRIVER_SEES_THE_API_AND_GRIDS_ALONE = only(GPU_DRIVER, API, GPU);

    @ArchTest
    static final ArchRule SHARDS_ON_DEVICES_SEE_SHARDS_STORES_HOST_MEMORY_AND_BUILTIN = noClasses()
            .that()
            .resideInAPackage(GPU_SHARD)
            .should()
            .dependOnClassesThat(resideInAPackage("io.psf..")
                    .and(not(resideInAnyPackage(GPU_SHARD, GPU_DRIVER, GPU, API, SHARD_SPI, STORE, "io.psf.builtin..")))
                    .and(not(type(HostMemory.class))));

    @ArchTest
    static final ArchRule JCUDA_IS_SEEN_IN_ITS_PACKAGE_ALONE = noClasses()
            .that()
            .resideInAPackage("io.psf..")
            .and()
            .resideOutsideOfPackage(GPU_DRIVER)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("jcuda..");

    // The processor: read makes a model, from which emit makes sources, and whose schema is compared.

    @ArchTest
    static final ArchRule THE_PROCESSOR_SEES_THE_API_ALONE = only("io.psf.processor..", API);

    @ArchTest
    static final ArchRule THE_MODEL_SEES_THE_API_ALONE = only("io.psf.processor.model", API);

    @ArchTest
    static final ArchRule READING_SEES_THE_MODEL_ALONE = only("io.psf.processor.read", API, "io.psf.processor.model");

    @ArchTest
    static final ArchRule SCHEMAS_SEE_THE_MODEL_AND_THE_PROBLEMS =
            only("io.psf.processor.schema", API, "io.psf.processor.model", "io.psf.processor.read");

    @ArchTest
    static final ArchRule EMITTING_SEES_THE_MODEL_ALONE = only("io.psf.processor.emit", API, "io.psf.processor.model");

    /** Returns the rule that classes of a package depend, within psf, on that package and the named ones alone. */
    private static ArchRule only(String one, String... others) {
        String[] seen = Stream.concat(Stream.of(one), Stream.of(others)).toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage(one)
                .should()
                .dependOnClassesThat(resideInAPackage("io.psf..").and(not(resideInAnyPackage(seen))));
    }
}
