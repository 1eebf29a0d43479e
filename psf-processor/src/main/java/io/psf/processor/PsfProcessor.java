package io.psf.processor;

import com.google.auto.service.AutoService;
import io.psf.api.PsFunction;
import io.psf.api.PsHandler;
import io.psf.processor.emit.FunctionEmitter;
import io.psf.processor.emit.ProviderEmitter;
import io.psf.processor.emit.Source;
import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.ProviderModel;
import io.psf.processor.read.Evolution;
import io.psf.processor.read.FunctionReader;
import io.psf.processor.read.HandlerReader;
import io.psf.processor.read.Problems;
import java.io.IOException;
import java.io.Writer;
import java.lang.annotation.Annotation;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.ProcessingEnvironment;
import javax.annotation.processing.Processor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;

/**
 * Makes {@code XPsf} beside each interface {@code X} with {@code PsFunction}, and what brings handlers to a server's
 * class path; each source of one element alone, so that incremental builds make anew what has changed. An interface that mentions classes which do not exist yet waits for the next round, in which another
 * processor may have made them.
 */
@AutoService(Processor.class)
public final class PsfProcessor extends AbstractProcessor {
    private final Problems problems = new Problems();
    /** Interfaces to be read again in the next round. */
    private final Set<String> waitingFunctions = new LinkedHashSet<>();
    /** Handlers to be read again in the next round. */
    private final Set<String> waitingHandlers = new LinkedHashSet<>();
    /** The classes that this processor has written. */
    private final Set<String> written = new HashSet<>();

    private int rounds;

    private FunctionReader functions;
    private HandlerReader handlers;
    private Schemas schemas;

    /** Made by the compiler. */
    @SuppressWarnings("NullAway") // init comes before anything else
    public PsfProcessor() {}

    @Override
    public synchronized void init(ProcessingEnvironment environment) {
        super.init(environment);
        functions = new FunctionReader(environment.getElementUtils(), environment.getTypeUtils(), problems);
        handlers = new HandlerReader(environment.getElementUtils(), environment.getTypeUtils(), problems);
        schemas = new Schemas(environment, new Evolution(problems));
    }

    @Override
    public Set<String> getSupportedAnnotationTypes() {
        return Set.of(PsFunction.class.getName(), PsHandler.class.getName());
    }

    @Override
    public Set<String> getSupportedOptions() {
        return Set.of(Schemas.FOLDER, Schemas.UPDATE);
    }

    @Override
    public SourceVersion getSupportedSourceVersion() {
        return SourceVersion.latestSupported();
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
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
        boolean patient = round.getRootElements().stream().anyMatch(this::isForeign);
        functionsNow.forEach(name -> function(name, patient));
        handlersNow.forEach(name -> handler(name, patient));
        if (!waitingFunctions.isEmpty()) {
            askForAnotherRound();
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

    /** Whether someone else wrote it: while others write, what is missing may still come. */
    private boolean isForeign(Element root) {
        return !(root instanceof TypeElement type)
                || !written.contains(type.getQualifiedName().toString());
    }

    private void function(String name, boolean patient) {
        TypeElement type = processingEnv.getElementUtils().getTypeElement(name);
        if (type == null) {
            return;
        }
        Optional<FunctionReader.Reading> reading = functions.read(type);
        boolean resolved = reading.map(FunctionReader.Reading::resolved).orElse(true);
        if (!resolved && patient) {
            problems.clear();
            waitingFunctions.add(name);
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
            write(sound ? FunctionEmitter.emit(model) : FunctionEmitter.emitSkeleton(model), type);
            if (sound && model.whole()) {
                write(ProviderEmitter.emit(new ProviderModel(model.type(), model.type(), true, 0)), type);
            }
        }
    }

    private void handler(String name, boolean patient) {
        TypeElement type = processingEnv.getElementUtils().getTypeElement(name);
        if (type == null) {
            return;
        }
        Optional<ProviderModel> model = handlers.read(type);
        if (!handlers.isResolved() && patient) {
            problems.clear();
            waitingHandlers.add(name);
            return;
        }
        problems.print(processingEnv.getMessager());
        model.ifPresent(each -> write(ProviderEmitter.emit(each), type));
    }

    /**
     * Without a new file the next round would be the last, and what is written in that one comes too late for those who
     * name it: the compiler would add its errors to the one that matters.
     */
    private void askForAnotherRound() {
        String function = waitingFunctions.iterator().next();
        write(
                new Source(
                        function + "Psf_waits" + rounds++,
                        "// Empty: a function names classes that were not there yet, and waited for them.\n"),
                processingEnv.getElementUtils().getTypeElement(function));
    }

    /** Writes a source that comes of one element alone: what incremental builds rely on. */
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
