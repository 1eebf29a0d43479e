package io.psf.simulation.agent;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Puts a defect into a method. A call that may do nothing goes through a method of its own. */
final class PlantedMethod extends MethodVisitor {
    private final ClassVisitor to;
    private final Plant plant;
    private final String owner;
    private final boolean isStatic;
    private final String descriptor;
    private int calls;

    PlantedMethod(
            ClassVisitor to, MethodVisitor method, Plant plant, String owner, boolean isStatic, String descriptor) {
        super(Rewriter.ASM, method);
        this.to = to;
        this.plant = plant;
        this.owner = owner;
        this.isStatic = isStatic;
        this.descriptor = descriptor;
    }

    @Override
    public void visitCode() {
        super.visitCode();
        if (plant.call() == null) {
            returnIfOn(mv, isStatic ? null : owner, descriptor);
        }
    }

    @Override
    public void visitMethodInsn(int opcode, String of, String name, String itsDescriptor, boolean isInterface) {
        if (!name.equals(plant.call())) {
            super.visitMethodInsn(opcode, of, name, itsDescriptor, isInterface);
            return;
        }
        String all = opcode == Opcodes.INVOKESTATIC ? itsDescriptor : "(L" + of + ";" + itsDescriptor.substring(1);
        String through = name + "$" + plant.name().replace('-', '_') + "$" + Integer.toHexString(descriptor.hashCode())
                + "$" + calls++;
        int hidden = Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC;
        MethodVisitor code = new PsfMethod(to.visitMethod(hidden, through, all, null, null), owner);
        code.visitCode();
        returnIfOn(code, null, all);
        int at = 0;
        for (Type each : Type.getArgumentTypes(all)) {
            code.visitVarInsn(each.getOpcode(Opcodes.ILOAD), at);
            at += each.getSize();
        }
        code.visitMethodInsn(opcode, of, name, itsDescriptor, isInterface);
        code.visitInsn(Type.getReturnType(all).getOpcode(Opcodes.IRETURN));
        code.visitMaxs(0, 0);
        code.visitEnd();
        super.visitMethodInsn(Opcodes.INVOKESTATIC, owner, through, all, false);
    }

    private void returnIfOn(MethodVisitor code, @Nullable String self, String of) {
        Label isOff = new Label();
        code.visitLdcInsn(plant.name());
        code.visitMethodInsn(
                Opcodes.INVOKESTATIC, "io/psf/simulation/machine/Planted", "isOn", "(Ljava/lang/String;)Z", false);
        code.visitJumpInsn(Opcodes.IFEQ, isOff);
        Type result = Type.getReturnType(of);
        pushValue(code, result);
        code.visitInsn(result.getOpcode(Opcodes.IRETURN));
        code.visitLabel(isOff);
        List<Object> locals = new ArrayList<>();
        if (self != null) {
            locals.add(self);
        }
        for (Type each : Type.getArgumentTypes(of)) {
            locals.add(LockedMethod.frameType(each));
        }
        code.visitFrame(Opcodes.F_NEW, locals.size(), locals.toArray(), 0, new Object[0]);
        code.visitInsn(Opcodes.NOP); // another frame may follow at once
    }

    private void pushValue(MethodVisitor code, Type result) {
        if (Plant.FIRST.equals(plant.value())) {
            code.visitVarInsn(Opcodes.ALOAD, 0);
            return;
        } else if (Plant.WALL_CLOCK.equals(plant.value())) {
            PsfMethod.hook(code, "currentTimeMillis", "()J");
            code.visitLdcInsn(1_000_000L);
            code.visitInsn(Opcodes.LMUL);
            return;
        }
        switch (result.getSort()) {
            case Type.VOID -> {}
            case Type.LONG -> code.visitLdcInsn(plant.value() == null ? 0L : plant.value());
            case Type.OBJECT, Type.ARRAY -> code.visitInsn(Opcodes.ACONST_NULL);
            default -> code.visitLdcInsn(plant.value() == null ? 0 : plant.value());
        }
    }
}
