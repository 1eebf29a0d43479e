package io.psf.simulation.agent;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Rewrites a method of the JDK: clocks, the timers of virtual threads, and the order of immutable collections. */
final class JdkMethod extends MethodVisitor {
    private static final String VIRTUAL_THREAD = "java/lang/VirtualThread";

    private final String of;

    JdkMethod(MethodVisitor to, String of) {
        super(Rewriter.ASM, to);
        this.of = of;
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        if (owner.equals("java/lang/System") && name.equals("nanoTime")) {
            PsfMethod.hook(mv, name, descriptor);
        } else if (of.equals(VIRTUAL_THREAD) && owner.equals(VIRTUAL_THREAD) && name.equals("schedule")) {
            PsfMethod.hook(
                    mv,
                    name,
                    "(Ljava/lang/Object;Ljava/lang/Runnable;JLjava/util/concurrent/TimeUnit;)"
                            + "Ljava/util/concurrent/Future;");
        } else {
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        }
    }

    /** {@code Set.of} and {@code Map.of} iterate in an order that each JVM draws. */
    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        if (opcode == Opcodes.GETSTATIC && name.equals("SALT32L")) {
            super.visitLdcInsn(1L);
        } else if (opcode == Opcodes.GETSTATIC && name.equals("REVERSE")) {
            super.visitInsn(Opcodes.ICONST_0);
        } else {
            super.visitFieldInsn(opcode, owner, name, descriptor);
        }
    }
}
