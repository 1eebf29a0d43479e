package io.psf.processor;

import com.google.auto.service.AutoService;
import io.psf.api.PsFunction;
import io.psf.api.PsHandler;
import io.psf.processor.emit.Emitter;
import io.psf.processor.emit.JavaEmitter;
import io.psf.processor.emit.Source;
import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.ProviderModel;
import io.psf.processor.read.FunctionReader;
import io.psf.processor.read.HandlerReader;
import io.psf.processor.read.Problems;
import io.psf.processor.schema.Schemas;
import java.io.IOException;
import java.io.Writer;
import java.lang.annotation.Annotation;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.ProcessingEnvironment;
import javax.annotation.processing.Processor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;
import org.jspecify.annotations.Nullable;

/**
 * Generates {@code XPsf} in the package of each interface {@code X} with {@code PsFunction}, and the providers by which
 * servers find handlers on their class path. Each source depends on only one element, so that incremental builds
 * regenerate only what has changed. An interface that refers to classes which do not exist yet is deferred to a later
 * round, in which another processor may have generated them.
 */
@AutoService(Processor.class)
public final class PsfProcessor extends AbstractProcessor {
    private final Problems problems = new Problems();
    /** The names of interfaces to read again in the next round. */
    private final Set<String> waitingFunctions = new LinkedHashSet<>();
    /** The names of handlers to read again in the next round. */
    private final Set<String> waitingHandlers = new LinkedHashSet<>();
    /** The names of the classes that this processor has written. */
    private final Set<String> written = new HashSet<>();

    /**
     * The emitter of a test; null for the emitter that writes Java, whose class needs what the processor path may lack.
     */
    private final @Nullable Emitter given;

    private Emitter emitter;
    private boolean isUsable;
    private int rounds;

    private FunctionReader functions;
    private HandlerReader handlers;
    private Schemas schemas;
    private PythonOutput python;

    /** Called by the compiler. */
    public PsfProcessor() {
        this(null);
    }

    @SuppressWarnings("NullAway") // the compiler calls init before any other method
    PsfProcessor(@Nullable Emitter given) {
        this.given = given;
    }

    @Override
    @SuppressWarnings("NullAway") // without these the processor is not usable, and reads nothing
    public synchronized void init(ProcessingEnvironment environment) {
        super.init(environment);
        isUsable = ProcessorPath.isComplete(environment.getMessager());
        if (!isUsable) {
            return;
        }
        emitter = given == null ? new JavaEmitter() : given;
        functions = new FunctionReader(environment.getElementUtils(), environment.getTypeUtils(), problems);
        handlers = new HandlerReader(environment.getElementUtils(), environment.getTypeUtils(), problems);
        schemas = new Schemas(environment, problems);
        python = new PythonOutput(environment);
    }

    @Override
    public Set<String> getSupportedAnnotationTypes() {
        return isUsable ? Set.of(PsFunction.class.getName(), PsHandler.class.getName()) : Set.of();
    }

    @Override
    public Set<String> getSupportedOptions() {
        return Set.of(Schemas.FOLDER, Schemas.UPDATE, PythonOutput.FOLDER);
    }

    @Override
    public SourceVersion getSupportedSourceVersion() {
        return SourceVersion.latestSupported();
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
        if (!isUsable) {
            return false;
        }
        schemas.compiles(round.getRootElements());
        if (round.processingOver()) {
            if (!round.errorRaised()) {
                schemas.checkGone();
                problems.print(processingEnv.getMessager());
            }
            return false;
        }
        Set<String> functionsNow = take(waitingFunctions, PsFunction.class, round);
        Set<String> handlersNow = take(waitingHandlers, PsHandler.class, round);
        boolean patient = round.getRootElements().stream().anyMatch(this::isFromOthers);
        functionsNow.forEach(name -> guard(name, type -> function(type, patient)));
        handlersNow.forEach(name -> guard(name, type -> handler(type, patient)));
        if (!waitingFunctions.isEmpty()) {
            forceRound();
        }
        return false;
    }

    private static Set<String> take(
            Set<String> waiting, Class<? extends Annotation> annotation, RoundEnvironment round) {
        Set<String> now = new LinkedHashSet<>(waiting);
        waiting.clear();
        for (Element each : round.getElementsAnnotatedWith(annotation)) {
            if (each instanceof TypeElement type) {
                now.add(type.getQualifiedName().toString());
            }
        }
        return now;
    }

    /**
     * True if this processor did not write the class. As long as a round has such classes, other processors may still
     * generate missing classes.
     */
    private boolean isFromOthers(Element root) {
        return !(root instanceof TypeElement type)
                || !written.contains(type.getQualifiedName().toString());
    }

    /** Runs a step on a class, and reports an unexpected exception at the class. */
    private void guard(String name, Consumer<TypeElement> step) {
        TypeElement type = processingEnv.getElementUtils().getTypeElement(name);
        if (type == null) {
            return;
        }
        try {
            step.accept(type);
        } catch (RuntimeException e) {
            if (Defect.isOfCompiler(e)) {
                throw e;
            }
            problems.print(processingEnv.getMessager());
            processingEnv.getMessager().printMessage(Diagnostic.Kind.ERROR, new Defect(name, e).text(), type);
        }
    }

    private void function(TypeElement type, boolean patient) {
        Optional<FunctionReader.Reading> reading = functions.read(type);
        boolean resolved = reading.map(FunctionReader.Reading::resolved).orElse(true);
        if (!resolved && patient) {
            problems.clear();
            waitingFunctions.add(type.getQualifiedName().toString());
            return;
        }
        reading.ifPresent(each -> schemas.declares(type, each.model()));
        boolean sound = problems.isEmpty() && resolved;
        if (sound) {
            reading.ifPresent(each -> schemas.check(type, each.model()));
        }
        problems.print(processingEnv.getMessager());
        if (reading.isPresent()) {
            FunctionModel model = reading.get().model();
            if (sound) {
                emitter.function(model, source -> write(source, type));
                python.function(type, model);
            } else {
                emitter.skeleton(model, source -> write(source, type));
            }
        }
    }

    private void handler(TypeElement type, boolean patient) {
        Optional<ProviderModel> model = handlers.read(type);
        if (!handlers.isResolved() && patient) {
            problems.clear();
            waitingHandlers.add(type.getQualifiedName().toString());
            return;
        }
        problems.print(processingEnv.getMessager());
        model.ifPresent(each -> emitter.provider(each, source -> write(source, type)));
    }

    /**
     * Writes an empty source, so that the next round is not the last. Sources written in the last round are too late
     * for code that refers to them: the compiler would report further errors besides the relevant one.
     */
    private void forceRound() {
        String function = waitingFunctions.iterator().next();
        write(
                new Source(
                        function + "Psf_waits" + rounds++,
                        "// Empty: a function names classes that were not there yet, and waited for them.\n"),
                processingEnv.getElementUtils().getTypeElement(function));
    }

    /** Writes a source that depends on one element only, as incremental builds require. */
    private void write(Source source, TypeElement origin) {
        written.add(source.name());
        try (Writer out =
                processingEnv.getFiler().createSourceFile(source.name(), origin).openWriter()) {
            out.write(source.text());
        } catch (IOException e) {
            processingEnv
                    .getMessager()
                    .printMessage(Diagnostic.Kind.ERROR, "cannot write " + source.name() + ": " + e, origin);
        }
    }
}
