#include "compiler/codegen/HostPasses.h"

#include "compiler/codegen/BlockParts.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/AggressiveInstCombine/AggressiveInstCombine.h"
#include "llvm/Transforms/Scalar/LoopLoadElimination.h"
#include "llvm/Transforms/Vectorize/LoopVectorize.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"

/// Instructions of a block that are made code in seconds; parts of longer ones are not slower.
constexpr size_t longestBlock = 4096;

/// Pairs of accesses in a loop are compared with one another to vectorize it, which is not begun where they are more
/// than so many: nodes of a thousand elements took minutes, and have no loop of few instructions to gain by.
constexpr size_t accessesToCompare = 1024;

static bool hasLongBlock(const llvm::Function &function) {
  return llvm::any_of(function, [](const llvm::BasicBlock &block) {
    return block.size() > accessesToCompare && size_t(llvm::count_if(block, [](const llvm::Instruction &instruction) {
                                                 return llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction);
                                               })) > accessesToCompare;
  });
}

/// True where bytes are computed with. Vectors of bytes that straight-line code was made of, with loads of some bytes
/// only, are selected wrongly for AVX-512 by LLVM 22: other elements are loaded than were asked for, without a word.
static bool computesBytes(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
    return instruction.getType()->isIntegerTy(8) && !llvm::isa<llvm::LoadInst>(instruction);
  });
}

/// True where vectors of 64 bits are multiplied. The high half of such a product is put together from products of
/// halves (PrimeField.h), which LLVM knows and makes one of 128 bits, to be taken apart into lanes.
static bool multipliesVectors(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
    return instruction.getOpcode() == llvm::Instruction::Mul && instruction.getType()->isVectorTy() &&
           instruction.getType()->getScalarSizeInBits() == 64;
  });
}

/// A kernel is a loop over blocks, and no block reads what another one has stored: there is no load to be taken from
/// the round before. The search for one compares every access with every other.
static bool isWorthRunning(llvm::StringRef pass, const llvm::Any &unit, bool hasWideBytes) {
  if (pass == llvm::LoopLoadEliminationPass::name())
    return false;
  const auto *function = llvm::any_cast<const llvm::Function *>(&unit);
  if (pass == llvm::SLPVectorizerPass::name() && function && hasWideBytes && computesBytes(**function))
    return false;
  if (pass == llvm::AggressiveInstCombinePass::name() && function && multipliesVectors(**function))
    return false;
  return pass != llvm::LoopVectorizePass::name() || !function || !hasLongBlock(**function);
}

void idc::codegen::optimizeForHost(llvm::Module &module, llvm::TargetMachine &machine) {
  splitIntoParts(module, longestBlock);
  llvm::PassInstrumentationCallbacks callbacks;
  const bool hasWideBytes = machine.getMCSubtargetInfo()->checkFeatures("+avx512bw");
  callbacks.registerShouldRunOptionalPassCallback(
      [hasWideBytes](llvm::StringRef pass, const llvm::Any &unit) { return isWorthRunning(pass, unit, hasWideBytes); });
  llvm::PipelineTuningOptions tuning;
  tuning.LoopInterleaving = tuning.LoopVectorization = tuning.SLPVectorization = true;
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}
