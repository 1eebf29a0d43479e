package io.psf.simulation.agent;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;

/** The place of a planted defect in the classes of psf. A defect whose place is gone would never happen. */
final class PlantedPlace extends ClassVisitor {
    private final Plant plant;
    private boolean hasMethod;
    private boolean hasCall;

    private PlantedPlace(Plant plant) {
        super(Rewriter.ASM);
        this.plant = plant;
    }

    /**
     * Requires that the class, the method and the call of a defect exist.
     *
     * @throws IllegalStateException if one of them does not; the message names it and the defect
     */
    static void require(Plant plant, ClassLoader psf) {
        String place = plant.owner().replace('/', '.');
        PlantedPlace found = new PlantedPlace(plant);
        try (InputStream bytes = psf.getResourceAsStream(plant.owner() + ".class")) {
            if (bytes == null) {
                throw missing(plant, "class " + place, "a class of psf");
            }
            new ClassReader(bytes).accept(found, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!found.hasMethod) {
            throw missing(plant, "method " + place + "." + plant.method(), "a method with code");
        } else if (!found.hasCall && plant.call() != null) {
            throw missing(plant, "call of " + plant.call() + " in " + place + "." + plant.method(), "such a call");
        }
    }

    private static IllegalStateException missing(Plant plant, String what, String expected) {
        return new IllegalStateException(
                "planted defect " + plant.name() + ": " + what + " (expected: " + expected + ")");
    }

    @Override
    public @Nullable MethodVisitor visitMethod(
            int access, String method, String descriptor, @Nullable String signature, String @Nullable [] exceptions) {
        return method.equals(plant.method()) ? new Code() : null;
    }

    /** The code of the method. */
    private final class Code extends MethodVisitor {
        Code() {
            super(Rewriter.ASM);
        }

        @Override
        public void visitCode() {
            hasMethod = true;
        }

        @Override
        public void visitMethodInsn(int opcode, String of, String name, String descriptor, boolean isInterface) {
            hasCall |= name.equals(plant.call());
        }
    }
}
